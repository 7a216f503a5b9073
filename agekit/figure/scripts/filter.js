// The filter H = I − k·L̃sym, for scripts that move k or t. All that they know of it is
// this: L̃sym, or its eigenvalues, come from package laplacian with the data.

// ui.layers returns the signal x after 0 to t layers; laplacian multiplies by L̃sym.
ui.layers = function (laplacian, x, k, t) {
  var all = [x];
  for (var layer = 0; layer < t; layer++) {
    var l = laplacian(x);
    x = x.map(function (v, i) { return v - k * l[i]; });
    all.push(x);
  }
  return all;
};

// ui.times returns the product with a matrix whose rows are [column, value, column,
// value, …]. It takes a signal, or a number of signals node by node.
ui.times = function (rows, signals) {
  return function (x) {
    var y = new Float64Array(x.length);
    rows.forEach(function (row, i) {
      for (var p = 0; p < row.length; p += 2)
        for (var c = 0; c < signals; c++) y[i * signals + c] += row[p + 1] * x[row[p] * signals + c];
    });
    return y;
  };
};

// ui.response returns (1 − kλ)ᵗ for each λ: what t layers leave of an eigenvector of length 1.
ui.response = function (lambdas, k, t) {
  function diagonal(x) { return x.map(function (v, i) { return lambdas[i] * v; }); }
  return ui.layers(diagonal, lambdas.map(function () { return 1; }), k, t)[t];
};
