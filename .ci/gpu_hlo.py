"""Compile StableHLO for an NVIDIA H200 where there is none: gpu_hlo.py FILE ...

It prints an object of JSON with an entry for each file: how many kernels a step of the program's loop launches (the whole program, if
it has no loop), scatters, sorts, loops whose number of steps the compiler knows, and loops that the host leads, without the command
buffers of package backend and with them. The compiler cannot try its choices out without a GPU, so it takes its first one everywhere. It
tells no times.
"""

import json
import os
import re
import sys
import tempfile
from pathlib import Path

import jaxlib

packages, here = Path(jaxlib.__file__).parent.parent, Path(__file__).parent
cuda, scratch = packages / "nvidia" / "cuda_nvcc", tempfile.TemporaryDirectory()
os.environ["PATH"] += f":{cuda}/bin"
os.environ["XLA_FLAGS"] = f"--xla_gpu_cuda_data_dir={cuda} --xla_dump_to={scratch.name} --xla_dump_hlo_as_text"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy
from jaxlib import _jax, xla_client
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import stablehlo

# The flag +WHILE,+CONDITIONAL in full, since an override of one compilation takes no plus.
COMMAND_BUFFERS = ("xla_gpu_enable_command_buffer", "FUSION,CUBLAS,CUBLASLT,CUSTOM_CALL,CUDNN,DYNAMIC_SLICE_FUSION,WHILE,CONDITIONAL")


def gpu():
    """The device that gpu-h200.txtpb describes."""
    plugin = xla_client.load_pjrt_plugin_dynamically("cuda", str(packages / "jax_plugins" / "xla_cuda12" / "xla_cuda_plugin.so"))
    xla_client.initialize_pjrt_plugin("cuda")
    target = (here / "gpu-h200.txtpb").read_text()
    return xla_client.make_c_api_device_topology(plugin, "", target_config=target, topology="1x1x1")._make_compile_only_devices()[0]


def compiled(device, program, overrides=()):
    """The optimised HLO of a program, and the sequence of thunks that would run it."""
    with ir.Context() as context:
        registry = ir.DialectRegistry()
        _jax_mlir_ext.register_dialects(registry)
        context.append_dialect_registry(registry)
        context.load_all_available_dialects()
        stablehlo.register_dialect(context)
        options = xla_client.CompileOptions()
        options.num_replicas = options.num_partitions = 1
        options.device_assignment = xla_client.DeviceAssignment.create(numpy.zeros((1, 1), numpy.int32))
        options.env_option_overrides = list(overrides)
        done = device.client.compile(ir.Module.parse(program), _jax.DeviceList((device,)), options)
    [thunks] = Path(scratch.name).glob("*thunk_sequence_after_thunk_passes.txt")
    text = thunks.read_text()
    for file in Path(scratch.name).iterdir():
        file.unlink()
    return "\n".join(module.to_string() for module in done.hlo_modules()), text


def launches(thunks):
    """The number of kernels of a step, and of loops that no command buffer holds. What a thunk holds stands further in, below it."""
    step, all_kernels, host, part, within = 0, 0, 0, "", []
    for line in thunks.splitlines():
        if line.strip() in ("condition:", "body:"):
            part = line.strip()
        if not (found := re.match(r"( *)\d+: (k\w+)", line)):
            continue
        at, kind = len(found[1]), found[2]
        within = [(column, name) for column, name in within if column < at]
        inside = [name for _, name in within]
        if kind == "kWhile":
            host += "kCommandBuffer" not in inside
        elif kind not in ("kCommandBuffer", "kSequential", "kConditional"):
            all_kernels += 1
            step += "kWhile" in inside and part == "body:"
        within.append((at, kind))
    return step or all_kernels, host


def main():
    device, counts = gpu(), {}
    for name in sys.argv[1:]:
        # go-xla writes a matrix product's precision for a GPU only, where package backend asks for that of float32.
        program = Path(name).read_text().replace("#stablehlo<precision DEFAULT>", "#stablehlo<precision HIGHEST>")
        hlo, thunks = compiled(device, program)
        kernels, host = launches(thunks)
        _, buffered = launches(compiled(device, program, [COMMAND_BUFFERS])[1]) if host else (0, 0)
        counts[Path(name).name] = {"kernels": kernels, "scatters": len(re.findall(r"\bscatter\(", hlo)), "sorts": len(re.findall(r"\bsort\(", hlo)),
                                   "counted_loops": hlo.count('"known_trip_count"'), "host_loops": host, "buffered_host_loops": buffered}
    print(json.dumps(counts))


main()
