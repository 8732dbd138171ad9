attnbookStart("slope", ({ one, data, say, slider, check }) => {
  const [left, floor, wide, high, lowest, highest] = data.place;
  let [width, scaled] = data.start;
  const across = score => (left + wide * (score - lowest)).toFixed(1);
  const up = weight => (floor - high * weight).toFixed(1);
  const set = (element, places) => Object.entries(places).forEach(([name, n]) => element.setAttribute(name, n));
  function show(change) {
    const d = data.widths[width], typical = scaled ? 1 : Math.sqrt(d);
    const weightOf = score => Math.exp(score) / (Math.exp(score) + 2 + Math.exp(-typical));
    const points = [];
    for (let s = lowest; s <= highest; s += 1 / 8) points.push(across(s) + "," + up(weightOf(s)));
    set(one(".curve"), { points: points.join(" ") });
    const weight = weightOf(typical), slope = weight * (1 - weight);
    set(one(".here"), { cx: across(typical), cy: up(weight) });
    set(one(".touch"), { x1: across(typical - 1), y1: up(weight - slope), x2: across(typical + 1), y2: up(weight + slope) });
    const text = `Score ${typical.toFixed(1)}, weight ${weight.toFixed(4)}, slope ${slope.toFixed(4)}.`;
    one(".x-sum").textContent = text;
    if (change) say(`d_k ${d}, ${scaled ? "divided by its root" : "not divided"}. ${text}`);
  }
  slider("width d_k", data.widths, width, n => { width = n; show(1); });
  check("divide by √d_k", !!scaled, on => { scaled = on; show(1); });
  say("Move the slider, by hand or with the arrow keys.");
  show();
});
