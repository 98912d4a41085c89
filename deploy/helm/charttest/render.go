package main

import (
	"maps"
	"path"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// release is a chart with values, as "helm install" is given it.
type release struct {
	Name, Namespace string
	Values          string // YAML, in the place of what values.yaml says
	Upgrade         bool
	Lint            bool // also asks what "helm lint" does
}

// rendered is what became of a release or of a kustomization.
type rendered struct {
	Files map[string]string // by name, without the empty ones
	Notes string
	Error string
	Lint  []string // of the level warning and above
}

// render does what "helm template" does.
func (r release) render(dir string) (out rendered) {
	chart, err := loader.Load(dir)
	var given map[string]any
	if err == nil {
		err = yaml.Unmarshal([]byte(r.Values), &given)
	}
	if err != nil {
		return rendered{Error: err.Error()}
	}
	if r.Lint {
		for _, m := range lint.RunAll(dir, maps.Clone(given), r.Namespace).Messages {
			if m.Severity >= support.WarningSev {
				out.Lint = append(out.Lint, m.Error())
			}
		}
	}
	options := common.ReleaseOptions{Name: r.Name, Namespace: r.Namespace, Revision: 1, IsInstall: !r.Upgrade,
		IsUpgrade: r.Upgrade}
	values, err := util.ToRenderValues(chart, given, options, common.DefaultCapabilities)
	var files map[string]string
	if err == nil {
		files, err = engine.Engine{Strict: true}.Render(chart, values)
	}
	if err != nil {
		out.Error = err.Error()
		return out
	}
	out.Files = make(map[string]string)
	for name, text := range files {
		switch name = path.Base(name); {
		case name == "NOTES.txt":
			out.Notes = text
		case strings.TrimSpace(text) != "":
			out.Files[name] = text
		}
	}
	return out
}

// build does what "kubectl kustomize" does.
func build(dir string) rendered {
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	var text []byte
	if err == nil {
		text, err = made.AsYaml()
	}
	if err != nil {
		return rendered{Error: err.Error()}
	}
	return rendered{Files: map[string]string{dir: string(text)}}
}
