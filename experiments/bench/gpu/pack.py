"""Pack programs into a compressed archive: pack.py PRESET ARCHIVE PROGRAM…

Programs that share code come one after the other, in a window that holds them all: each adds only its own part.
"""
import lzma
import os
import sys
import tarfile

MOST = 21_500_000  # bytes; make gpu-luggage checks that the checkout fits too


def main(preset, archive, *programs):
    filters = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": int(preset), "dict_size": 128 << 20}]
    with lzma.open(archive, "wb", filters=filters) as compressed, tarfile.open(fileobj=compressed, mode="w") as packed:
        for program in programs:
            packed.add(program, arcname=os.path.basename(program), filter=nobody)
    size = os.path.getsize(archive)
    print(f"{archive}: {size / 1e6:.1f} MB, from {sum(map(os.path.getsize, programs)) / 1e6:.0f} MB")
    if size > MOST:
        sys.exit(f"{archive} may have {MOST / 1e6:.0f} MB at most; carry fewer programs")


def nobody(member):
    """Leave out who packed the file and when: the same programs give the same archive."""
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


if __name__ == "__main__":
    main(*sys.argv[1:])
