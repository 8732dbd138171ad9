"""The scripts of the live page in a V8 without a browser, and their speed.

    python code/tools/live.py        # in V8, and in Chromium if it is there

Prints how many milliseconds a sentence of ten words takes, greedily and with
a beam of five: the least of many tries, since other programs only slow it.
"""

import base64
import json
from contextlib import contextmanager
from pathlib import Path

from py_mini_racer import MiniRacer

from browser import browser, missing

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "code/attnbook/models"
SCRIPTS = [
    ROOT / f"book/_static/{name}.js" for name in ("transformer", "text")
]
SENTENCE = "The animal did not cross the very wide street."  # and a full stop
SPEED = """(typed => {
  const ids = fr.encode(fr.data.readText(typed));
  return ["greedy", "beamSearch"].map(name => {
    const times = [];
    for (let round = 0; round < 25; round++) {
      const start = Date.now();
      for (let i = 0; i < 4; i++) transformer[name](fr.model, ids);
      times.push((Date.now() - start) / 4);
    }
    return Math.min(...times);
  });
})"""
OPEN = """var {name} = texts.openTranslator({{
  ...{texts}, "model.safetensors": {weights}}}); 0"""


def read_folder(folder):
    """Return the texts of a run's folder as JSON, and the weights' bytes."""
    texts = {p.name: p.read_text("utf-8") for p in folder.glob("*.json")}
    return json.dumps(texts), (folder / "model.safetensors").read_bytes()


class Engine:
    """A V8 with the scripts of the live page.

    Args:
        scripts: the text of each script.
    """

    def __init__(self, scripts):
        self.racer = MiniRacer()
        for script in scripts:
            self.racer.eval(script)

    def evaluate(self, script):
        """Return the value of an expression, as JSON carries it."""
        return json.loads(self.racer.eval(f"JSON.stringify({script})"))

    def call(self, function, *arguments):
        """Return what a function, given as text, makes of arguments."""
        return self.evaluate(f"({function})(...{json.dumps(arguments)})")

    def put_bytes(self, name, data):
        """Give an ArrayBuffer a name."""
        made = f"var {name} = new ArrayBuffer({len(data)}); {name}"
        self.racer.eval(made)[:] = data

    def get_bytes(self, script):
        """Return the bytes of a typed array."""
        return bytes(self.racer.eval(f"({script}).slice().buffer"))

    def open_translator(self, name, folder):
        """Give the `Translator` of a run's folder a name."""
        texts, data = read_folder(folder)
        self.put_bytes("weights", data)
        self.racer.eval(OPEN.format(name=name, texts=texts, weights="weights"))


@contextmanager
def open_engine():
    """Open a V8 with the scripts of the live page; close it at the end."""
    engine = Engine([path.read_text("utf-8") for path in SCRIPTS])
    try:
        yield engine
    finally:
        engine.racer.close()


def measure_v8():
    """Return the milliseconds of both searches in the V8 of mini-racer."""
    with open_engine() as engine:
        engine.open_translator("fr", MODELS / "storybook-en-fr")
        return engine.call(SPEED, SENTENCE)


def measure_chromium():
    """Return the milliseconds of both searches in a page of Chromium."""
    texts, data = read_folder(MODELS / "storybook-en-fr")
    weights = (
        f"Uint8Array.from(atob('{base64.b64encode(data).decode()}'), "
        "char => char.charCodeAt(0)).buffer"
    )
    with browser() as opened:
        page = opened.new_page()
        for path in SCRIPTS:
            page.add_script_tag(path=path)
        opening = OPEN.format(name="fr", texts=texts, weights=weights)
        page.add_script_tag(content=opening)
        return page.evaluate(SPEED, SENTENCE)


def main():
    """Print a line for each."""
    where = {"V8": measure_v8}
    if missing():
        print(f"not in Chromium: {missing()}")
    else:
        where["Chromium"] = measure_chromium
    for name, measure in where.items():
        greedy, beam = measure()
        print(f"{name:8} greedy {greedy:6.1f} ms   beam of 5 {beam:6.1f} ms")


if __name__ == "__main__":
    main()
