"""Writes gru.json, states of flax.linen.GRUCell in float64: JAX_ENABLE_X64=1 python gru.py > gru.json (jax 0.4.35, flax 0.10.2).

flax has one bias for the input's and the state's map to a gate, PyTorch one each: they are added here.
"""
import json
import flax.linen as nn
import numpy as np

inputs, hidden, length, rows = 5, 3, 4, 2
rng = np.random.RandomState(7)
draw = lambda *shape: np.round(rng.uniform(-1.5, 1.5, shape), 3)
w, wb, u, ub, x = draw(inputs, 3 * hidden), draw(3 * hidden), draw(hidden, 3 * hidden), draw(3 * hidden), draw(length, rows, inputs)

part = lambda a, i: a[..., i * hidden:(i + 1) * hidden]
params = {}
for i, gate in enumerate("rzn"):  # reset, update, candidate
    params["i" + gate] = {"kernel": part(w, i), "bias": part(wb, i) + (part(ub, i) if gate != "n" else 0)}
    params["h" + gate] = {"kernel": part(u, i)}
params["hn"]["bias"] = part(ub, 2)

h, states = np.zeros((rows, hidden)), []
for step in x:
    h, _ = nn.GRUCell(hidden, param_dtype=np.float64, dtype=np.float64).apply({"params": params}, h, step)
    states.append(np.asarray(h).tolist())
golden = {"made_by": "testdata/gru.py", "weights": w.tolist(), "bias": wb.tolist(), "recurrent": u.tolist(),
          "recurrent_bias": ub.tolist(), "x": x.tolist(), "states": states}
print("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in golden.items()) + "\n}")
