// From values to pixels and back, and the numbers beside an axis.

// First index with a value not below the wanted one.
function lowerBound(sorted, wanted) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

// A scale from values to pixels, linear or logarithmic, with its way back.
function scale([from, to], low, high, log) {
  const bend = log ? Math.log10 : (value) => value;
  const unbend = log ? (value) => 10 ** value : (value) => value;
  const [a, b] = [bend(from), bend(to)];
  const map = (value) => low + ((bend(value) - a) / (b - a || 1)) * (high - low);
  map.back = (pixel) => unbend(a + ((pixel - low) / (high - low)) * (b - a));
  return map;
}

// Pairs of a value and its text, about `count` of them.
function ticks([from, to], count, log, whole) {
  const decades = log ? Math.log10(to / from) : 0;
  if (decades >= 1) return logTicks(from, to, decades <= count / 3 ? [1, 2, 5] : [1]);
  const rough = (to - from) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(whole ? 1 : 0, power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10));
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const found = [];
  for (let n = Math.ceil(from / step - 1e-9); n * step <= to + step * 1e-9; n++) found.push([n * step, tickText(n * step, decimals)]);
  return found;
}

function logTicks(from, to, factors) {
  const found = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++) {
    for (const factor of factors) {
      const value = Number((factor * 10 ** power).toPrecision(12));
      if (value >= from && value <= to) found.push([value, tickText(value, Math.max(0, -power))]);
    }
  }
  return found;
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });
const tickText = (value, decimals) => (Math.abs(value) >= 1e5 ? compact.format(value) : value.toFixed(decimals));

// Least and greatest, of positive values alone on a logarithmic axis.
function extent(values, log) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value === null || (log && value <= 0)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [log ? 1 : 0, 1];
}
