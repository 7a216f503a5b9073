package simd

import "math"

// Every kernel in plain Go: what runs where there is no assembly, and what the
// assembly is tested against.

// dotGo is [Dot] in plain Go. Four sums let the processor add at the same time.
func dotGo(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+8 <= len(a); i += 8 { // arrays, so that their bounds are checked once
		x, y := (*[8]float32)(a[i:]), (*[8]float32)(b[i:])
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		s0 += x[4] * y[4]
		s1 += x[5] * y[5]
		s2 += x[6] * y[6]
		s3 += x[7] * y[7]
	}
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	return (s0 + s1) + (s2 + s3)
}

// gramBlockGo is [GramBlock] in plain Go.
func gramBlockGo(dst, a, b []float32, rows, cols, k, stride int) {
	for i := range rows {
		for j := range cols {
			dst[i*cols+j] = dotGo(a[i*stride:i*stride+k], b[j*stride:j*stride+k])
		}
	}
}

// csrTileGo is [CSRTile] in plain Go. It adds up eight columns at a time, in registers, which takes a
// third of the time that sums in memory do.
func csrTileGo(dst []float32, dstStride int, indptr []int, indices []int32, values []float32, src []float32, srcStride, lo, hi int) {
	for i := lo; i < hi; i++ {
		columns := indices[indptr[i]:indptr[i+1]]
		var weights []float32
		if values != nil {
			weights = values[indptr[i]:indptr[i+1]]
		}
		for c := 0; c < TileWidth; c += 8 {
			var s0, s1, s2, s3, s4, s5, s6, s7 float32
			if weights == nil {
				for _, j := range columns {
					x := (*[8]float32)(src[int(j)*srcStride+c:])
					s0 += x[0]
					s1 += x[1]
					s2 += x[2]
					s3 += x[3]
					s4 += x[4]
					s5 += x[5]
					s6 += x[6]
					s7 += x[7]
				}
			} else {
				for k, j := range columns {
					v, x := weights[k], (*[8]float32)(src[int(j)*srcStride+c:])
					s0 += v * x[0]
					s1 += v * x[1]
					s2 += v * x[2]
					s3 += v * x[3]
					s4 += v * x[4]
					s5 += v * x[5]
					s6 += v * x[6]
					s7 += v * x[7]
				}
			}
			*(*[8]float32)(dst[i*dstStride+c:]) = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
		}
	}
}

// addDenseTileGo is addDenseTile in plain Go.
func addDenseTileGo(dst []float32, dstStride int, a []float32, stride, step, k int, src []float32, srcStride, lo, hi int) {
	for i := lo; i < hi; i++ {
		row := dst[i*dstStride : i*dstStride+TileWidth]
		for j := range k {
			v := a[i*stride+j*step]
			if v == 0 {
				continue // smoothed word vectors have many zeros
			}
			for c, x := range src[j*srcStride : j*srcStride+TileWidth] {
				row[c] += v * x
			}
		}
	}
}

// adamGo is [Adam] in plain Go.
func adamGo(w, g, m, v []float32, r AdamRates) {
	for i := range w {
		m[i] = r.Beta1*m[i] + (1-r.Beta1)*g[i]
		v[i] = r.Beta2*v[i] + (1-r.Beta2)*g[i]*g[i]
		w[i] -= r.StepSize * m[i] / (float32(math.Sqrt(float64(v[i])))*r.Correction + r.Epsilon)
	}
}

// mulPanelGo is [MulPanel] in plain Go.
func mulPanelGo(dst []float64, dstStride int, a []float64, stride, rows, cols int, x []float64, xStride int) {
	for i := range rows {
		d := (*[PanelWidth]float64)(dst[i*dstStride:])
		s0, s1, s2, s3, s4, s5, s6, s7 := d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]
		for j, f := range a[i*stride : i*stride+cols] {
			y := (*[PanelWidth]float64)(x[j*xStride:])
			s0 += f * y[0]
			s1 += f * y[1]
			s2 += f * y[2]
			s3 += f * y[3]
			s4 += f * y[4]
			s5 += f * y[5]
			s6 += f * y[6]
			s7 += f * y[7]
		}
		*d = [PanelWidth]float64{s0, s1, s2, s3, s4, s5, s6, s7}
	}
}

// mulTransPanelGo is [MulTransPanel] in plain Go.
func mulTransPanelGo(dst []float64, dstStride int, a []float64, stride, rows, cols int, x []float64, xStride int) {
	for i := range rows {
		y := (*[PanelWidth]float64)(x[i*xStride:])
		for j, f := range a[i*stride : i*stride+cols] {
			d := (*[PanelWidth]float64)(dst[j*dstStride:])
			d[0] += f * y[0]
			d[1] += f * y[1]
			d[2] += f * y[2]
			d[3] += f * y[3]
			d[4] += f * y[4]
			d[5] += f * y[5]
			d[6] += f * y[6]
			d[7] += f * y[7]
		}
	}
}
