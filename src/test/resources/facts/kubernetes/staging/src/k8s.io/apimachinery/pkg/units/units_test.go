package units

type Options struct {
	Wrong bool `json:"force"`
}
