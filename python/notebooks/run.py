#!/usr/bin/env python3
"""Executes the notebooks of this folder, and ends with code 1 if one fails.

    python python/notebooks/run.py [NAME…] [--pictures]

STEND_NOTEBOOK_SCALE=full runs the larger versions. --pictures writes each notebook's main picture
(of the cell with the tag "picture") to pictures/NAME.png. No notebook is changed.
"""

from __future__ import annotations

import argparse
import base64
import io
import os
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

FOLDER = Path(__file__).resolve().parent
#: Largest width of a picture, pixels, and its size limit, bytes.
WIDTH = 900
MOST_BYTES = 60_000


def execute(path: Path) -> Any:
    """Executes a notebook; returns it with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        extra_arguments=["--log-level=40"],  # errors alone
        timeout=None,
        kernel_name="python3",
        resources={"metadata": {"path": str(FOLDER)}},
    )
    client.execute()
    return notebook


def picture(notebook: Any) -> bytes:
    """Returns the PNG of the cell with the tag "picture"."""
    for cell in notebook.cells:
        if "picture" in cell.metadata.get("tags", []):
            for output in cell.get("outputs", []):
                if "image/png" in output.get("data", {}):
                    return base64.b64decode(output["data"]["image/png"])
    raise LookupError('no cell with the tag "picture" has a PNG as output')


def light(png: bytes) -> bytes:
    """Scales a picture to its width in the README, with a palette. No change without Pillow."""
    try:
        from PIL import Image
    except ImportError:
        return png
    image = Image.open(io.BytesIO(png)).convert("RGB")
    if image.width > WIDTH:
        size = (WIDTH, round(image.height * WIDTH / image.width))
        image = image.resize(size, Image.Resampling.LANCZOS)
    for colors in (256, 128, 64, 32, 16):
        to = io.BytesIO()
        few = image.quantize(colors, Image.Quantize.MAXCOVERAGE, 4, dither=Image.Dither.NONE)
        few.save(to, "PNG", optimize=True)
        if to.tell() <= MOST_BYTES:
            break
    return to.getvalue()


def main() -> int:
    parser = argparse.ArgumentParser(description="Executes the notebooks of this folder.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="notebooks (default: all)")
    parser.add_argument("--pictures", action="store_true", help="write pictures/NAME.png")
    arguments = parser.parse_args()
    # Figures become outputs of their cells, whatever backend the environment selects.
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    there = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
    names = [Path(name).stem for name in arguments.names] or there
    unknown = [name for name in names if name not in there]
    if unknown:
        parser.error(f"there is no notebook {unknown[0]}; the notebooks are {', '.join(there)}")
    failed = []
    for name in names:
        begun = time.monotonic()
        try:
            notebook = execute(FOLDER / f"{name}.ipynb")
            if arguments.pictures:
                target = FOLDER / "pictures" / f"{name}.png"
                target.parent.mkdir(exist_ok=True)
                target.write_bytes(light(picture(notebook)))
        except (CellExecutionError, LookupError) as error:
            failed.append(name)
            print(error, file=sys.stderr)
        word = "failed after" if name in failed else "ran in"
        print(f"{name}: {word} {time.monotonic() - begun:.1f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
