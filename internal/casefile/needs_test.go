package casefile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSurfacesAndRequirementsNameTheirTools(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		surfaces []Surface
		want     []string
	}{
		{nil, nil}, {[]Surface{SurfaceCode}, nil}, {[]Surface{SurfaceSecret, SurfaceBrowser}, []string{"cairntrace", "tvault"}},
		{[]Surface{SurfaceTerminal, SurfaceArtifact, SurfaceCode}, []string{"glyphrun", "fcheap"}},
	} {
		if diff := cmp.Diff(tt.want, ToolsOf(tt.surfaces)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.surfaces, diff)
		}
	}
	want := map[string]string{"glyphrun": RequireTerminal, "tvault": RequireCapability}
	if diff := cmp.Diff(want, RequirementsOf([]string{"command:unit", RequireCapability, RequireTerminal})); diff != "" {
		t.Errorf("requirements (-want +got):\n%s", diff)
	}
}
