package main

import (
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

type input struct {
	ID      string            `json:"id"`
	Now     time.Time         `json:"now"`
	Given   given             `json:"given"`
	Objects []json.RawMessage `json:"objects"`
}

type given struct {
	FairSharing             fairSharing                     `json:"fairSharing"`
	FeatureGates            map[string]bool                 `json:"featureGates"`
	AFS                     *config.AdmissionFairSharing    `json:"afs"`
	ResourceTransformations []config.ResourceTransformation `json:"resourceTransformations"`
}

// fairSharing is true, false, or Kueue's own configuration block.
type fairSharing struct{ *config.FairSharing }

func (f *fairSharing) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "null", "false":
		return nil
	case "true":
		f.FairSharing = &config.FairSharing{}
		return nil
	}
	f.FairSharing = &config.FairSharing{}
	return json.Unmarshal(b, f.FairSharing)
}

// state is a decoded cluster.
type state struct {
	flavors    []*kueue.ResourceFlavor
	topologies []*kueue.Topology
	cohorts    []*kueue.Cohort
	cqs        []*kueue.ClusterQueue
	lqs        []*kueue.LocalQueue
	workloads  []*kueue.Workload
	checks     []*kueue.AdmissionCheck
	nodes      []*corev1.Node
	pods       []*corev1.Pod
	rest       []client.Object // only looked up by name
}

func decode(raw []json.RawMessage, defaults bool) (*state, error) {
	s := &state{}
	for i, r := range raw {
		var head struct{ APIVersion, Kind string }
		if err := json.Unmarshal(r, &head); err != nil {
			return nil, fmt.Errorf("objects[%d]: %w", i, err)
		}
		var err error
		switch head.APIVersion + " " + head.Kind {
		case "kueue.x-k8s.io/v1beta2 ResourceFlavor":
			err = into(r, &s.flavors)
		case "kueue.x-k8s.io/v1beta2 Topology":
			err = into(r, &s.topologies)
		case "kueue.x-k8s.io/v1beta2 Cohort":
			err = into(r, &s.cohorts)
		case "kueue.x-k8s.io/v1beta2 ClusterQueue":
			err = into(r, &s.cqs)
		case "kueue.x-k8s.io/v1beta2 LocalQueue":
			err = into(r, &s.lqs)
		case "kueue.x-k8s.io/v1beta2 Workload":
			err = into(r, &s.workloads)
		case "kueue.x-k8s.io/v1beta2 AdmissionCheck":
			err = into(r, &s.checks)
		case "v1 Node":
			err = into(r, &s.nodes)
		case "v1 Pod":
			err = into(r, &s.pods)
		case "v1 Namespace":
			err = other[corev1.Namespace](r, s)
		case "v1 LimitRange":
			err = other[corev1.LimitRange](r, s)
		case "node.k8s.io/v1 RuntimeClass":
			err = other[nodev1.RuntimeClass](r, s)
		case "kueue.x-k8s.io/v1beta2 WorkloadPriorityClass":
			err = other[kueue.WorkloadPriorityClass](r, s)
		case "scheduling.k8s.io/v1 PriorityClass":
			err = other[schedulingv1.PriorityClass](r, s)
		default:
			err = fmt.Errorf("kind %s of %s: not supported", head.Kind, head.APIVersion)
		}
		if err != nil {
			return nil, fmt.Errorf("objects[%d]: %w", i, err)
		}
	}
	if defaults {
		for _, cq := range s.cqs {
			defaultClusterQueue(cq)
		}
	}
	return s, nil
}

func into[T any](r json.RawMessage, l *[]*T) error {
	o := new(T)
	if err := json.Unmarshal(r, o); err != nil {
		return err
	}
	*l = append(*l, o)
	return nil
}

func other[T any, P interface {
	*T
	client.Object
}](r json.RawMessage, s *state) error {
	o := P(new(T))
	if err := json.Unmarshal(r, o); err != nil {
		return err
	}
	s.rest = append(s.rest, o)
	return nil
}

// defaultClusterQueue fills in what the API server would: a ClusterQueue that was never stored (a test table, a
// manifest) may lack it.
func defaultClusterQueue(cq *kueue.ClusterQueue) {
	sp := &cq.Spec
	fill(&sp.QueueingStrategy, kueue.BestEffortFIFO)
	if sp.FlavorFungibility == nil {
		sp.FlavorFungibility = &kueue.FlavorFungibility{}
	}
	fill(&sp.FlavorFungibility.WhenCanBorrow, kueue.MayStopSearch)
	fill(&sp.FlavorFungibility.WhenCanPreempt, kueue.TryNextFlavor)
	if sp.Preemption == nil {
		sp.Preemption = &kueue.ClusterQueuePreemption{}
	}
	fill(&sp.Preemption.WithinClusterQueue, kueue.PreemptionPolicyNever)
	fill(&sp.Preemption.ReclaimWithinCohort, kueue.PreemptionPolicyNever)
	if sp.Preemption.BorrowWithinCohort == nil {
		sp.Preemption.BorrowWithinCohort = &kueue.BorrowWithinCohort{}
	}
	fill(&sp.Preemption.BorrowWithinCohort.Policy, kueue.BorrowWithinCohortPolicyNever)
}

func fill[T ~string](p *T, v T) {
	if *p == "" {
		*p = v
	}
}
