package figure_test

import "github.com/agekit/age/agekit/figure"

func ExamplePaired() {
	f := figure.Paired("Ten seeds, three steps", "ACC", []string{"+Encoder", "+Adaptive", "+Thresholds Update"}, [][]float64{
		{0.640, 0.742, 0.732}, {0.648, 0.735, 0.729}, {0.731, 0.743, 0.732}, {0.731, 0.739, 0.733}, {0.647, 0.743, 0.733},
		{0.724, 0.727, 0.721}, {0.644, 0.617, 0.730}, {0.735, 0.741, 0.734}, {0.736, 0.744, 0.725}, {0.649, 0.735, 0.733},
	})
	save(f, "testdata/paired.png")
}
