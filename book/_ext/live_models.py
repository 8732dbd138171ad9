"""Put the packaged models beside the pages, for the live page.

Each becomes a script that hands its files to the page, the weights in base64:
a page that was opened as a file may not fetch, but it may load a script.
"""

import base64
import json
from pathlib import Path

MODELS = Path(__file__).parents[2] / "code/attnbook/models"


def write_script(folder):
    """Return the script that holds a model.

    Args:
        folder: of a run.

    Returns:
        ASCII text.
    """
    files = {p.name: p.read_text("utf-8") for p in folder.glob("*.json")}
    weights = (folder / "model.safetensors").read_bytes()
    files["model.safetensors"] = base64.b64encode(weights).decode()
    files = json.dumps(files, sort_keys=True)
    return f"live.models[{folder.name!r}] = {files};\n"


def write_models(app, error):
    """Write every model's script; those of the last build may be old."""
    if error or app.builder.name != "html":
        return
    to = Path(app.outdir) / "_static/models"
    to.mkdir(parents=True, exist_ok=True)
    for folder in sorted(MODELS.iterdir()):
        if (folder / "model.safetensors").is_file():
            (to / f"{folder.name}.js").write_text(write_script(folder))


def setup(app):
    """Write them when the pages are there."""
    app.connect("build-finished", write_models)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
