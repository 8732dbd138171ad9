attnbookStart("scaling", ({ one, all, data, say, check, slider, select }) => {
  let [width, scaled] = data.start, draw = 0, heat = data.temperatures.indexOf(1);
  const bars = kind => all(`.${kind} td`);
  function row(kind, values, axis) {
    bars(kind).forEach((c, n) => {
      c.firstChild.style.setProperty("--v", (values[n] / axis).toFixed(3));
      c.lastChild.data = values[n].toFixed(2);
    });
  }
  function show(change) {
    const d = data.widths[width], t = data.temperatures[heat];
    const scores = data.raw[draw][width].map(s => s / (scaled ? Math.sqrt(d) : 1));
    const top = Math.max(...scores), powers = scores.map(s => Math.exp((s - top) / t));
    const sum = powers.reduce((a, b) => a + b), weights = powers.map(p => p / sum);
    const entropy = weights.reduce((a, p) => a - (p > 0 ? p * Math.log(p) : 0), 0);
    const axis = [4, 16, 64, 256].find(n => scores.every(s => Math.abs(s) <= n));
    row("score", scores, axis);
    row("weight", weights, 1);
    one(".score small").textContent = "±" + axis;
    const text = `Largest weight ${Math.max(...weights).toFixed(2)}, entropy ${entropy.toFixed(2)} of at most ${Math.log(weights.length).toFixed(2)} nats.`;
    one(".x-sum").textContent = text;
    if (change) say(`d_k ${d}, ${scaled ? "divided by its root" : "not divided"}, temperature ${t}. ${text}`);
  }
  slider("width d_k", data.widths, width, n => { width = n; show(1); });
  check("divide by √d_k", !!scaled, on => { scaled = on; show(1); });
  slider("temperature", data.temperatures, heat, n => { heat = n; show(1); });
  select("draw", data.raw.map((_, n) => n), 0, n => { draw = n; show(1); });
  say("Move the sliders, by hand or with the arrow keys.");
  show();
});
