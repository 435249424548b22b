"""Unpack the bundle's programs into a folder, unless they are there already: unpack.py ARCHIVE FOLDER."""
import hashlib
import os
import shutil
import sys
import tarfile


def main(archive, folder):
    with open(archive, "rb") as f:
        content = hashlib.sha256(f.read()).hexdigest()
    mark = os.path.join(folder, "unpacked")
    if os.path.exists(mark) and open(mark).read() == content:
        return
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder, mode=0o700)
    with tarfile.open(archive, "r:xz") as packed:
        for program in packed:
            path = os.path.join(folder, os.path.basename(program.name))
            with open(path, "wb") as f:
                shutil.copyfileobj(packed.extractfile(program), f)
            os.chmod(path, 0o755)
    with open(mark, "w") as f:  # last: a half-unpacked folder has none
        f.write(content)


if __name__ == "__main__":
    main(*sys.argv[1:])
