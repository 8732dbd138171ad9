"""Progress of a training: a bar on a terminal, plain lines elsewhere."""

import sys
import time

from tqdm import tqdm

EVERY = 5.0  # seconds between two plain lines, at most


def format_minutes(seconds):
    """Return a duration as minutes and seconds, 3:07."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def is_in_notebook():
    """Say whether the output goes into a notebook."""
    shell = sys.modules.get("IPython")
    ipython = shell.get_ipython() if shell else None
    return type(ipython).__name__ == "ZMQInteractiveShell"


class Progress:
    """Report steps, loss, speed and time left.

    On a terminal a bar; elsewhere a line at least every 5 seconds.  In a
    notebook the lines come at fixed steps and hold step and rounded loss
    alone, so that two runs print the same.

    Args:
        steps: number of the last step.
        done: steps that an earlier run has made.
        stream: where to; standard error if None.
        notebook: whether to write for a notebook; found out if None.
    """

    def __init__(self, steps, done=0, stream=None, notebook=None):
        self.steps, self.first = steps, done
        self.notebook = is_in_notebook() if notebook is None else notebook
        self.stream = stream or (sys.stdout if self.notebook else sys.stderr)
        self.start = self.shown = time.monotonic()
        self.tokens, self.bar = 0, None
        if self.stream.isatty() and not self.notebook:
            self.bar = tqdm(
                total=steps, initial=done, unit="step", file=self.stream
            )

    def say(self, line):
        """Write a line of words."""
        if self.bar is not None:
            self.bar.write(line, file=self.stream)
        else:
            print(line, file=self.stream, flush=True)

    def update(self, step, loss, tokens):
        """Count one step.

        Args:
            step: its number.
            loss: nats per token; a tensor is read only when it is shown.
            tokens: labels in this step, padding left out.
        """
        self.tokens += tokens
        if self.bar is not None:
            self.bar.update(1)
            if step % 10 == 0 or step == self.steps:
                speed = f"{self.speed():,.0f}"
                self.bar.set_postfix(loss=f"{float(loss):.3f}", tok_s=speed)
        elif self.notebook:
            if step % max(1, self.steps // 6) == 0 or step == self.steps:
                print(f"step {step:>5}  loss {float(loss):.1f}")
        elif self.is_due(step):
            self.stream.write(self.format_line(step, float(loss)) + "\n")
            self.stream.flush()

    def is_due(self, step):
        """Say whether it is time for a plain line."""
        now = time.monotonic()
        if now - self.shown < EVERY - 1 and step != self.steps:
            return False
        self.shown = now
        return True

    def speed(self):
        """Return the tokens per second so far."""
        return self.tokens / max(1e-9, time.monotonic() - self.start)

    def format_line(self, step, loss):
        """Return a plain line: step, loss, speed, time left."""
        spent = time.monotonic() - self.start
        left = spent / max(1, step - self.first) * (self.steps - step)
        return (
            f"step {step}/{self.steps}  loss {loss:.3f}  "
            f"{self.speed():,.0f} tokens/s  {format_minutes(left)} left"
        )

    def close(self):
        """End the bar."""
        if self.bar is not None:
            self.bar.close()
