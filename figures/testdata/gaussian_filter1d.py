# Makes gaussian_filter1d.json beside it:
#   python3 -m venv v && v/bin/pip install scipy==1.17.1 && v/bin/python gaussian_filter1d.py
import json, pathlib
import numpy as np
import scipy
from scipy.ndimage import gaussian_filter1d

cases = []
# Filters narrower and far wider than the sequence; a radius whose rounding matters (4·1.125 + 0.5 = 5); one sample.
for n, sigma in [(23, 1.0), (23, 2.5), (17, 1.125), (7, 5.0), (3, 8.0), (1, 2.0), (2, 0.1)]:
    x = [round(float(v), 6) for v in np.cos(1.7 * np.arange(n) ** 1.3) + 0.1 * np.arange(n)]
    y = gaussian_filter1d(np.array(x), sigma, mode="reflect", truncate=4.0)
    cases.append({"sigma": sigma, "x": x, "y": y.tolist()})
out = {"made_by": f"gaussian_filter1d.py, scipy {scipy.__version__}", "cases": cases}
pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps(out, indent=1) + "\n")
