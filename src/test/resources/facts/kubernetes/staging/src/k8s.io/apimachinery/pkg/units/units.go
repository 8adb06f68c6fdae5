package units

type Unit Symbol

type Symbol string

type Header struct {
	Kind string `json:"kind,omitempty" protobuf:"bytes,1,opt,name=kind"`
}

type Moment struct {
	Seconds int64
}

type Weight struct {
	Grams int64
}

type Options struct {
	Force bool `json:"force,omitempty"`
}
