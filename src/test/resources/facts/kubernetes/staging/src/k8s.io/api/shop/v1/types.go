package v1

import (
	"time"

	measures "k8s.io/apimachinery/pkg/units"
)

// Courier names a company.
type Courier string

/*
	Name string `json:"notAField"`
*/

// An order.
type Order struct {
	measures.Header `json:",inline"`
	// What is wanted.
	Spec OrderSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
}

type OrderSpec struct {
	// One of.
	Wrapping `json:",inline" protobuf:"bytes,3,opt,name=wrapping"`

	Lines     []Line            `json:"lines,omitempty"`
	Couriers  []Courier         `json:"couriers"`
	Courier   Courier           `json:"courier,omitempty"`
	Fallback  *Courier          `json:"fallback,omitempty"` // a pointer to a named string
	Count     int32             `json:"count" protobuf:"varint,2,opt,name=count"`
	Urgent    bool              `json:"urgent,omitempty"`
	Fragile   *bool             `json:"fragile,omitempty"`
	Notes     map[string]string `json:"notes,omitempty"`
	Weight    *measures.Weight  `json:"weight,omitempty"`
	Due       measures.Moment   `json:"due,omitempty"`
	Placed    measures.Moment   `json:"placed,omitempty,omitzero"`
	Seal      []byte            `json:"seal"`
	Unit      measures.Unit     `json:"unit,omitempty"`
	Signature *Gift             `json:"signature"`
	internal  time.Time
	Hidden    string `json:"-"`
}

type Wrapping struct {
	Gift *Gift `json:"gift,omitempty" protobuf:"bytes,1,opt,name=gift"`
}

type Gift Line

type Line struct {
	Name string `json:"name"`
}
