// Command charttest does for tests what helm, kustomize and an API server would do with the
// files of deploy: it renders the chart with Helm's own engine, builds the plain manifests
// with kustomize's, and reads what they make as strictly as Kubernetes does. It is a module
// of its own, so that what these are made of is no part of the project. It knows nothing of
// Signet; what has to be in the manifests is for the tests in deploy and deploy/helm.
//
// It reads one request as JSON from standard input, and writes the answer to standard output.
package main
