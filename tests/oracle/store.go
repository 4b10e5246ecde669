package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/constants"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"
)

type key = types.NamespacedName

// store is an in-memory API server, as much of one as the engine talks to. controller-runtime's own fake goes through
// JSON on every call and scans all objects on every list; this one keeps typed objects and the two indexes that the
// engine lists by, so that the time measured is the engine's. Objects handed out are copies; stored ones never change.
type store struct {
	client.Client // whatever is not written below panics: nothing is silently ignored

	mu        sync.RWMutex
	workloads map[key]*kueue.Workload
	byQueue   map[key]map[key]bool // LocalQueue -> workloads
	byCQ      map[string]map[key]bool
	lqByCQ    map[string]map[key]bool
	others    map[reflect.Type]map[key]client.Object
	writes    int                     // resourceVersion of the last write
	dirty     map[key]*kueue.Workload // workload -> what it was before the writes not yet delivered as events
}

func newStore() *store {
	return &store{
		workloads: map[key]*kueue.Workload{},
		byQueue:   map[key]map[key]bool{},
		byCQ:      map[string]map[key]bool{},
		lqByCQ:    map[string]map[key]bool{},
		others:    map[reflect.Type]map[key]client.Object{},
		dirty:     map[key]*kueue.Workload{},
	}
}

func put[K comparable](m map[K]map[key]bool, k K, v key) {
	if m[k] == nil {
		m[k] = map[key]bool{}
	}
	m[k][v] = true
}

func (s *store) add(o client.Object) {
	k := client.ObjectKeyFromObject(o)
	if wl, ok := o.(*kueue.Workload); ok {
		s.setWorkload(k, wl)
		return
	}
	t := reflect.TypeOf(o)
	if s.others[t] == nil {
		s.others[t] = map[key]client.Object{}
	}
	s.others[t][k] = o
	if lq, ok := o.(*kueue.LocalQueue); ok {
		put(s.lqByCQ, string(lq.Spec.ClusterQueue), k)
	}
}

func (s *store) setWorkload(k key, wl *kueue.Workload) {
	if old := s.workloads[k]; old != nil && old.Status.Admission != nil {
		delete(s.byCQ[string(old.Status.Admission.ClusterQueue)], k)
	}
	s.writes++
	wl.ResourceVersion = strconv.Itoa(s.writes)
	s.workloads[k] = wl
	put(s.byQueue, key{Namespace: k.Namespace, Name: string(wl.Spec.QueueName)}, k)
	if wl.Status.Admission != nil {
		put(s.byCQ, string(wl.Status.Admission.ClusterQueue), k)
	}
}

func notFound(o any, k key) error {
	return apierrors.NewNotFound(schema.GroupResource{Resource: strings.ToLower(reflect.TypeOf(o).Elem().Name()) + "s"}, k.Name)
}

func (s *store) Get(_ context.Context, k key, o client.Object, _ ...client.GetOption) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if wl, ok := o.(*kueue.Workload); ok {
		stored := s.workloads[k]
		if stored == nil {
			return notFound(o, k)
		}
		stored.DeepCopyInto(wl)
		return nil
	}
	stored := s.others[reflect.TypeOf(o)][k]
	if stored == nil {
		return notFound(o, k)
	}
	reflect.ValueOf(o).Elem().Set(reflect.ValueOf(stored.DeepCopyObject()).Elem())
	return nil
}

func (s *store) List(_ context.Context, l client.ObjectList, opts ...client.ListOption) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	o := client.ListOptions{}
	o.ApplyOptions(opts)
	field, value := "", ""
	if o.FieldSelector != nil {
		rs := o.FieldSelector.Requirements()
		if len(rs) != 1 {
			return fmt.Errorf("list by %s: not supported", o.FieldSelector)
		}
		field, value = rs[0].Field, rs[0].Value
	}
	switch l := l.(type) {
	case *kueue.WorkloadList:
		var set map[key]bool
		switch field {
		case indexer.WorkloadQueueKey:
			set = s.byQueue[key{Namespace: o.Namespace, Name: value}]
		case indexer.WorkloadClusterQueueKey:
			set = s.byCQ[value]
		default:
			return fmt.Errorf("list of workloads by %q: not supported", field)
		}
		for _, k := range sortedKeys(set) {
			l.Items = append(l.Items, *s.workloads[k].DeepCopy())
		}
	case *kueue.LocalQueueList:
		if field != indexer.QueueClusterQueueKey {
			return fmt.Errorf("list of local queues by %q: not supported", field)
		}
		for _, k := range sortedKeys(s.lqByCQ[value]) {
			l.Items = append(l.Items, *s.others[reflect.TypeFor[*kueue.LocalQueue]()][k].(*kueue.LocalQueue).DeepCopy())
		}
	case *corev1.LimitRangeList:
		if field != "" && field != indexer.LimitRangeHasContainerOrPodType {
			return fmt.Errorf("list of limit ranges by %q: not supported", field)
		}
		m := s.others[reflect.TypeFor[*corev1.LimitRange]()]
		for _, k := range sortedKeys(m) {
			lr := m[k].(*corev1.LimitRange)
			if (o.Namespace == "" || k.Namespace == o.Namespace) &&
				(field == "" || slices.Contains(indexer.IndexLimitRangeHasContainerOrPodType(lr), value)) {
				l.Items = append(l.Items, *lr.DeepCopy())
			}
		}
	default:
		return fmt.Errorf("list of %T: not supported", l)
	}
	return nil
}

func sortedKeys[V any](m map[key]V) []key {
	ks := make([]key, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	slices.SortFunc(ks, func(a, b key) int {
		if c := strings.Compare(a.Namespace, b.Namespace); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return ks
}

func (s *store) Status() client.SubResourceWriter                    { return statusWriter{s: s} }
func (s *store) SubResource(name string) client.SubResourceClient    { return statusWriter{s: s} }
func (s *store) Scheme() *runtime.Scheme                             { return runtime.NewScheme() }
func (s *store) RESTMapper() apimeta.RESTMapper                      { return nil }
func (s *store) IsObjectNamespaced(obj runtime.Object) (bool, error) { return true, nil }
func (s *store) GroupVersionKindFor(runtime.Object) (schema.GroupVersionKind, error) {
	return schema.GroupVersionKind{}, nil
}

type statusWriter struct {
	client.SubResourceClient
	s *store
}

func (w statusWriter) Update(_ context.Context, o client.Object, _ ...client.SubResourceUpdateOption) error {
	wl, ok := o.(*kueue.Workload)
	if !ok {
		return fmt.Errorf("status update of %T: not supported", o)
	}
	return w.s.writeStatus(wl, func(stored *kueue.Workload) error {
		wl.Status.DeepCopyInto(&stored.Status)
		return nil
	})
}

func (w statusWriter) Patch(_ context.Context, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
	wl, ok := o.(*kueue.Workload)
	if !ok {
		return fmt.Errorf("status patch of %T: not supported", o)
	}
	po := client.SubResourcePatchOptions{}
	po.ApplyOptions(opts)
	return w.s.writeStatus(wl, func(stored *kueue.Workload) error {
		switch p.Type() {
		case types.ApplyPatchType:
			applyStatus(stored, wl, po.FieldManager)
			return nil
		case types.MergePatchType:
			data, err := p.Data(o)
			if err != nil {
				return err
			}
			old, err := json.Marshal(stored)
			if err != nil {
				return err
			}
			merged, err := jsonpatch.MergePatch(old, data)
			if err != nil {
				return err
			}
			next := kueue.Workload{}
			if err := json.Unmarshal(merged, &next); err != nil {
				return err
			}
			stored.Status = next.Status
			return nil
		}
		return fmt.Errorf("patch type %s: not supported", p.Type())
	})
}

func (s *store) writeStatus(wl *kueue.Workload, change func(*kueue.Workload) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := client.ObjectKeyFromObject(wl)
	old := s.workloads[k]
	if old == nil {
		return notFound(wl, k)
	}
	if wl.ResourceVersion != "" && wl.ResourceVersion != old.ResourceVersion {
		return apierrors.NewConflict(schema.GroupResource{Group: "kueue.x-k8s.io", Resource: "workloads"}, k.Name,
			fmt.Errorf("the object has been modified"))
	}
	next := old.DeepCopy()
	if err := change(next); err != nil {
		return err
	}
	wholeSeconds(&next.Status)
	if _, ok := s.dirty[k]; !ok {
		s.dirty[k] = old
	}
	s.setWorkload(k, next)
	next.DeepCopyInto(wl)
	return nil
}

// applyStatus does what a server-side apply of a workload's status does. The field manager "kueue-admission" owns every
// field it sends, so what it leaves out is removed; other managers only add.
func applyStatus(stored, sent *kueue.Workload, manager string) {
	from, to := sent.DeepCopy().Status, &stored.Status
	owner := manager == constants.AdmissionName
	if owner || from.Admission != nil {
		to.Admission = from.Admission
	}
	if owner || from.RequeueState != nil {
		to.RequeueState = from.RequeueState
	}
	if owner || len(from.ResourceRequests) > 0 {
		to.ResourceRequests = from.ResourceRequests
	}
	if owner || from.AccumulatedPastExecutionTimeSeconds != nil {
		to.AccumulatedPastExecutionTimeSeconds = from.AccumulatedPastExecutionTimeSeconds
	}
	if owner || from.SchedulingStats != nil {
		to.SchedulingStats = from.SchedulingStats
	}
	if owner || from.ClusterName != nil {
		to.ClusterName = from.ClusterName
	}
	if owner || from.NominatedClusterNames != nil {
		to.NominatedClusterNames = from.NominatedClusterNames
	}
	if owner || from.UnhealthyNodes != nil {
		to.UnhealthyNodes = from.UnhealthyNodes
	}
	if owner || from.PreemptionGates != nil {
		to.PreemptionGates = from.PreemptionGates
	}
	if from.ReclaimablePods != nil {
		to.ReclaimablePods = from.ReclaimablePods
	}
	for _, c := range from.AdmissionChecks {
		i := slices.IndexFunc(to.AdmissionChecks, func(x kueue.AdmissionCheckState) bool { return x.Name == c.Name })
		if i < 0 {
			to.AdmissionChecks = append(to.AdmissionChecks, c)
		} else {
			to.AdmissionChecks[i] = c
		}
	}
	for _, c := range from.Conditions {
		i := slices.IndexFunc(to.Conditions, func(x metav1.Condition) bool { return x.Type == c.Type })
		if i < 0 {
			to.Conditions = append(to.Conditions, c)
		} else {
			to.Conditions[i] = c
		}
	}
	if owner {
		to.Conditions = slices.DeleteFunc(to.Conditions, func(c metav1.Condition) bool {
			return admissionOwned[c.Type] &&
				!slices.ContainsFunc(from.Conditions, func(x metav1.Condition) bool { return x.Type == c.Type })
		})
	}
}

// admissionOwned are the conditions that Kueue's admission field manager writes.
var admissionOwned = map[string]bool{
	kueue.WorkloadQuotaReserved: true, kueue.WorkloadBlockedOnPreemptionGates: true, kueue.WorkloadEvicted: true,
	kueue.WorkloadAdmitted: true, kueue.WorkloadPreempted: true, kueue.WorkloadRequeued: true,
	kueue.WorkloadDeactivationTarget: true, kueue.WorkloadFinished: true, kueue.WorkloadPodsReady: true,
}

// wholeSeconds cuts times to what the wire format keeps.
func wholeSeconds(st *kueue.WorkloadStatus) {
	for i := range st.Conditions {
		st.Conditions[i].LastTransitionTime = st.Conditions[i].LastTransitionTime.Rfc3339Copy()
	}
	for i := range st.AdmissionChecks {
		st.AdmissionChecks[i].LastTransitionTime = st.AdmissionChecks[i].LastTransitionTime.Rfc3339Copy()
	}
	for i := range st.PreemptionGates {
		st.PreemptionGates[i].LastTransitionTime = st.PreemptionGates[i].LastTransitionTime.Rfc3339Copy()
	}
	if st.RequeueState != nil && st.RequeueState.RequeueAt != nil {
		t := st.RequeueState.RequeueAt.Rfc3339Copy()
		st.RequeueState.RequeueAt = &t
	}
}
