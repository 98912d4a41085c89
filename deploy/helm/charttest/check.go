package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/openapi/openapitest"
	gateway "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/yaml"
)

// checker knows the types of Kubernetes, of the Gateway API and of the Prometheus operator,
// and the schemas of all but the last.
type checker struct {
	strict  runtime.Decoder
	schemas map[schema.GroupVersionKind]*jsonschema.Schema
}

// newChecker reads the schemas: Kubernetes' own of the core and of apps, which its client has
// for tests; those of the Gateway API in its definitions; and for all other kinds those of an
// older Kubernetes, which kustomize has with it.
func newChecker(crds string) (*checker, error) {
	types := runtime.NewScheme()
	if err := errors.Join(scheme.AddToScheme(types), gateway.Install(types), monitoring.AddToScheme(types)); err != nil {
		return nil, err
	}
	c := &checker{schemas: make(map[schema.GroupVersionKind]*jsonschema.Schema)}
	c.strict = serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, types, types,
		serializer.SerializerOptions{Yaml: true, Strict: true})
	groups, err := openapitest.NewEmbeddedFileClient().Paths()
	if err != nil {
		return nil, err
	}
	for path, group := range groups {
		text, err := group.Schema("application/json")
		if err == nil {
			err = c.addOpenAPI(path, text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := c.addCRDs(crds); err != nil {
		return nil, err
	}
	return c, c.addOlder()
}

// addOlder takes the schemas that kustomize has.
func (c *checker) addOlder() error {
	all := openapi.Schema()
	// Version 2 of OpenAPI has no type for what is either.
	const either = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
	number := all.Definitions[either]
	number.Type = []string{"integer", "string"}
	all.Definitions[either] = number
	text, err := json.Marshal(all)
	if err == nil {
		err = c.addOpenAPI("kustomize", text)
	}
	// Version 2 of the autoscaler is what was the second beta of it.
	scaler := schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}
	if c.schemas[scaler] == nil {
		c.schemas[scaler] = c.schemas[schema.GroupVersionKind{Group: scaler.Group, Version: "v2beta2", Kind: scaler.Kind}]
	}
	return err
}

// addOpenAPI takes the schemas of all kinds in a document, of version 2 or 3, but for those
// that are known already.
func (c *checker) addOpenAPI(name string, text []byte) error {
	type schemas map[string]struct {
		Kinds []schema.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
	}
	var described struct {
		Definitions schemas
		Components  struct{ Schemas schemas }
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = json.Unmarshal(text, &described)
	}
	compiler, url := newCompiler(), "mem:///"+name
	if err == nil {
		err = compiler.AddResource(url, document)
	}
	if err != nil {
		return err
	}
	for place, found := range map[string]schemas{
		"#/definitions/": described.Definitions, "#/components/schemas/": described.Components.Schemas,
	} {
		for name, s := range found {
			if len(s.Kinds) != 1 || c.schemas[s.Kinds[0]] != nil {
				continue // of every group, such as DeleteOptions; or from a newer document
			}
			if c.schemas[s.Kinds[0]], err = compiler.Compile(url + place + name); err != nil {
				return err
			}
		}
	}
	return nil
}

// addCRDs takes the schemas of definitions in a directory.
func (c *checker) addCRDs(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var crd struct {
			Kind string
			Spec struct {
				Group    string
				Names    struct{ Kind string }
				Versions []struct {
					Name   string
					Schema struct {
						Schema any `json:"openAPIV3Schema"`
					}
				}
			}
		}
		if err := yaml.Unmarshal(text, &crd); err != nil || crd.Kind != "CustomResourceDefinition" {
			return err
		}
		for _, v := range crd.Spec.Versions {
			compiler, url := newCompiler(), "mem:///"+crd.Spec.Names.Kind+"/"+v.Name
			if err := compiler.AddResource(url, v.Schema.Schema); err != nil {
				return err
			}
			kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind}
			if c.schemas[kind], err = compiler.Compile(url); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		return nil
	})
}

// newCompiler reads schemas as OpenAPI 3.0 has them, which is nearest to draft 4.
func newCompiler() *jsonschema.Compiler {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft4)
	return compiler
}

// problems says what Kubernetes would refuse in documents of YAML: a field that it does not
// know or that is there twice, a value of another type, a field that is missing.
func (c *checker) problems(text string) (out []string) {
	for _, document := range documents(text) {
		_, kind, err := c.strict.Decode([]byte(document), nil, nil)
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		if s := c.schemas[*kind]; s != nil {
			value, err := yaml.YAMLToJSON([]byte(document))
			var read any
			if err == nil {
				read, err = jsonschema.UnmarshalJSON(bytes.NewReader(value))
			}
			if err == nil {
				err = s.Validate(read)
			}
			if err != nil {
				out = append(out, fmt.Sprintf("%s: %v", kind.Kind, err))
			}
		}
	}
	return out
}

// documents splits YAML where a line of three hyphens does, without those that hold nothing.
func documents(text string) (out []string) {
	for document := range strings.SplitSeq("\n"+text, "\n---") {
		var value any
		if err := yaml.Unmarshal([]byte(document), &value); err != nil || value != nil {
			out = append(out, document)
		}
	}
	return out
}
