package main

// onepass breaks the closed-form update, row by row, and the beliefs that it keeps.
var onepass = []mutant{
	{
		file: "phe/onepass/head.go", breaks: "MacKay's damping is too weak",
		old: "math.Sqrt(1+math.Pi*q/8)", new: "math.Sqrt(1+math.Pi*q/16)", tests: "./phe/onepass -run TestPrototype|TestToy|TestHeads",
	},
	{
		file: "phe/onepass/head.go", breaks: "the stiffness is not damped",
		old: "return k * (y - p), k * k * p * (1 - p)", new: "return k * (y - p), p * (1 - p)", tests: "./phe/onepass -run TestPrototype|TestStiffness",
	},
	{
		file: "phe/onepass/head.go", breaks: "a rate's posterior mean is not matched",
		old: "if kind != Laplace {", new: "if kind == Laplace {", tests: "./phe/onepass -run TestHeads",
	},
	{
		file: "phe/onepass/row.go", breaks: "the pull of a count has no bound",
		old: "if s.products > 0 {", new: "if s.products < 0 {", tests: "./phe/onepass -run TestFinite",
	},
	{
		file: "phe/onepass/softmax.go", breaks: "softmax counts the class twice",
		old: "s.pull[y] += s.weight * s.damped(kind, y)", new: "s.pull[y] += 2 * s.damped(kind, y)", tests: "./phe/onepass -run TestPrototype|TestSoftmax",
	},
	{
		file: "phe/onepass/embedding.go", breaks: "means move by the deviation",
		old: "b.mean[i] += v * pull", new: "b.mean[i] += math.Sqrt(v) * pull", tests: "./phe/onepass -run TestPrototype|TestToy",
	},
	{
		file: "phe/onepass/embedding.go", breaks: "the variance of θ is left out of Q",
		old: "s.cov[o*p.outputs+o] += sum\n", new: "s.cov[o*p.outputs+o] += 0 * sum\n", tests: "./phe/onepass -run TestPrototype|TestToy",
	},
	{
		file: "phe/onepass/embedding.go", breaks: "products have no variance of their own",
		old: "if weightVariance > 0 { //", new: "if weightVariance < 0 { //", tests: "./phe/onepass -run TestPrototype|TestProducts",
	},
	{
		file: "phe/onepass/row.go", breaks: "items that share a bucket are squared apart",
		old: "s.keys[n] == key {", new: "s.keys[n] == key && n < 0 {", tests: "./phe/onepass -run TestPrototype|TestToy",
	},
	{
		file: "phe/onepass/block.go", breaks: "the block's mean moves by half",
		old: "floats.AddScaled(b.mean, s.pull[o], h)", new: "floats.AddScaled(b.mean, s.pull[o]/2, h)", tests: "./phe/onepass -run TestPrototype|TestToy",
	},
	{
		file: "phe/onepass/joint.go", breaks: "one covariance does not narrow",
		old: "floats.AddScaled(j.cov[i*j.size:(i+1)*j.size], -v, g)", new: "floats.AddScaled(j.cov[i*j.size:(i+1)*j.size], -0*v, g)", tests: "./phe/onepass -run TestExact|TestJoint",
	},
	{
		file: "phe/onepass/joint.go", breaks: "one covariance sees its diagonal only",
		old: "s.cov[o*n+r] += j.gradients[k*n+o] * j.h[r*j.size+entry]", new: "s.cov[o*n+r] += j.gradients[k*n+o] * j.gradients[k*n+r] * j.cov[entry*j.size+entry]", tests: "./phe/onepass -run TestExact|TestJoint",
	},
	{
		file: "phe/onepass/weights.go", breaks: "scales do not learn",
		old: "e.mean = min(max(e.mean, leastScale), mostScale)", new: "e.mean = 1", tests: "./phe/onepass -run Prototype|TestStream",
	},
	{
		file: "phe/onepass/weights.go", breaks: "signs are lost",
		old: "if c.Signs>>k&1 == 1 {", new: "if c.Signs>>k&1 == 2 {", tests: "./phe/onepass -run Prototype|TestStream",
	},
	{
		file: "phe/onepass/weights.go", breaks: "nothing is forgotten",
		old: "float64(e.variance)+gain))\n\t\t}\n\t}", new: "float64(e.variance)+0*gain))\n\t\t}\n\t}", tests: "./phe/onepass -run TestForgetting",
	},
	{
		file: "phe/onepass/factors.go", breaks: "the weights of pairs of fields do not enter the gradient",
		old: "h[l] += r.mean * e2[l]", new: "h[l] += e2[l]", tests: "./phe/onepass -run Prototype",
	},
	{
		file: "phe/onepass/weights.go", breaks: "a single logit's slots keep their variances", // writeOne
		old: "e.move(g*pull, g*g*stiffness, p.tempering, p.least)\n\t\te.variance", new: "e.move(g*pull, 0, p.tempering, p.least)\n\t\te.variance", tests: "./phe/onepass -run Prototype|TestStream",
	},
	{
		file: "phe/onepass/block.go", breaks: "a bias alone keeps its variance",
		old: "v - b.tempering*s.stiffness[0]*v*v", new: "v", tests: "./phe/onepass",
	},
	{
		file: "phe/hash/family.go", breaks: "signs of Quick are the bucket's parity",
		old: "value >> 60 << min(k, 63)", new: "value % 2 << min(k, 63)", tests: hashTests,
	},
	{
		file: "phe/onepass/evidence.go", breaks: "check bits are not looked at",
		old: "slot.n > 0 && slot.check == p.check[cell]", new: "slot.n > 0", tests: "./phe/onepass -run Evidence",
	},
	{
		file: "phe/onepass/evidence.go", breaks: "what is there of another item gives way at once",
		old: "case slot.n > 1:", new: "case slot.n > 9999:", tests: "./phe/onepass -run Evidence",
	},
	{
		file: "phe/onepass/forecast.go", breaks: "the noise is the whole squared error",
		old: "max(square-q, 0) - t.noise", new: "square - t.noise", tests: "./phe/onepass -run Prototype|TestStream",
	},
	{
		file: "phe/onepass/encoder.go", breaks: "columns are told apart by what stands before them only",
		old: "valueItem   = 'v'", new: "valueItem   = 'b'", tests: "./phe/onepass -run Encoder|Cells|Item|Key",
	},
	{
		file: "phe/onepass/learner.go", breaks: "variances made anew move the means",
		old: "clear(s.pull)", new: "_ = s.pull", tests: "./phe/onepass -run TestResettle",
	},
	{
		file: "phe/belief/table.go", breaks: "KL's ratio is upside down",
		old: "ratio := v / v0", new: "ratio := v0 / v", tests: "./phe/belief",
	},
	{
		file: "phe/belief/part.go", breaks: "the checksum is not looked at",
		old: "string(got) != string(want)", new: "len(got) != len(want)", tests: "./phe/belief",
	},
}
