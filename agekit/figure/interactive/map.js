  var n = data.Views[0].X.length, view = data.Views[data.Start], by = 0, only = -1;
  var pointed = -1, kept = -1; // the node under the pointer, and the one that was clicked or found
  var neighbors = new Array(n).fill(0).map(function () { return []; });
  data.Later.forEach(function (later, i) { later.forEach(function (j) { neighbors[i].push(j); neighbors[j].push(i); }); });
  var pale = "#dde1e6", points = { x: view.X.slice(), y: view.Y.slice() };

  function className(c) { return data.ClassNames ? data.ClassNames[c] : "class " + c; }
  function clusterName(c) { return data.Matched && c < data.Classes_ ? "cluster of " + className(c) : "cluster " + c; }
  // From vermilion (0 or less) over gray to blue (the surest node of the map).
  function sureness(share) {
    var from = share < 0.5 ? [213, 94, 0] : [190, 195, 202], to = share < 0.5 ? [190, 195, 202] : [0, 114, 178];
    var part = share < 0.5 ? 2 * share : 2 * share - 1;
    return "rgb(" + from.map(function (c, k) { return Math.round(c + (to[k] - c) * part); }).join(",") + ")";
  }
  var kinds = [
    { name: "cluster", of: function (i) { return view.Clusters[i]; }, label: clusterName },
    { name: "confidence", color: function (i) { return sureness(Math.max(0, Math.min(1, view.Confidence[i] / view.Surest))); } }
  ];
  if (data.Classes) kinds.unshift({ name: "class", of: function (i) { return data.Classes[i]; }, label: className });
  if (data.Matched) kinds.push({ name: "agreement", of: function (i) { return view.Clusters[i] === data.Classes[i] ? 0 : 1; },
    label: function (c) { return c ? "in the cluster of another class" : "in the cluster of its class"; } });
  function shown(i) { return only < 0 || kinds[by].of(i) === only; }
});
