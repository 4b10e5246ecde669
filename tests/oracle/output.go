package main

import (
	"context"
	"maps"
	"slices"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/resources"
	utilexpectations "sigs.k8s.io/kueue/pkg/util/expectations"
	"sigs.k8s.io/kueue/pkg/workload"
)

type expectationStore = utilexpectations.Store

type output struct {
	ID       string   `json:"id"`
	Error    string   `json:"error,omitempty"`
	Problems []string `json:"problems,omitempty"` // --validate
	Fixpoint bool     `json:"fixpoint"`
	Livelock bool     `json:"livelock,omitempty"` // stopped because the same state came for the fifth time
	Cycles   []*cycle `json:"cycles"`
	NCycles  int      `json:"nCycles"`
	Final    *final   `json:"final,omitempty"`

	ElapsedMS      float64 `json:"elapsedMs"`   // setup + scheduler + events, without decoding and output
	SetupMS        float64 `json:"setupMs"`     // filling the caches and queues
	SchedulerMS    float64 `json:"schedulerMs"` // inside scheduling cycles
	EventsMS       float64 `json:"eventsMs"`    // between them: update events, evictions, requeues
	CPUMS          float64 `json:"cpuMs"`       // the same as elapsedMs in CPU time of the whole process, garbage collection included
	SchedulerCPUMS float64 `json:"schedulerCpuMs"`
}

type cycle struct {
	N         int                   `json:"cycle"`
	At        string                `json:"at"`
	Order     map[string][]string   `json:"order,omitempty"` // root cohort -> entries in the order in which they were processed
	Admitted  []admittedWorkload    `json:"admitted,omitempty"`
	Preempted []preempted           `json:"preempted,omitempty"`
	Pending   []pending             `json:"pending,omitempty"` // heads that were put back
	Queues    map[string]queueSizes `json:"queues,omitempty"`  // [active, inadmissible] where they changed
	Evicted   []string              `json:"evicted,omitempty"` // gave their quota back after the cycle
	Requeued  int                   `json:"requeued,omitempty"`
	Errors    []string              `json:"errors,omitempty"`
	MS        float64               `json:"ms"`
}

type admittedWorkload struct {
	Workload string `json:"workload"`
	admission
}

type admission struct {
	ClusterQueue string                      `json:"clusterQueue"`
	Admitted     bool                        `json:"admitted"` // false: quota reserved, admission checks open
	PodSets      []kueue.PodSetAssignment    `json:"podSets"`
	Usage        map[string]map[string]int64 `json:"usage,omitempty"` // pod set -> flavor/resource -> integer
}

type preempted struct {
	Workload     string `json:"workload"`
	ClusterQueue string `json:"clusterQueue"`
	Evicted      string `json:"evictedReason"`
	Reason       string `json:"reason,omitempty"`
	Preemptor    string `json:"preemptor,omitempty"`
	Message      string `json:"message"`
}

type pending struct {
	Workload      string `json:"workload"`
	ClusterQueue  string `json:"clusterQueue"`
	Reason        string `json:"reason"`
	Message       string `json:"message"`
	RequeueReason string `json:"requeueReason"`
	Status        string `json:"status,omitempty"`
	Where         string `json:"where"` // active, inadmissible, none
}

type message struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

type final struct {
	Admitted     map[string]admission          `json:"admitted"`
	Active       map[string][]string           `json:"active"`
	Inadmissible map[string][]string           `json:"inadmissible"`
	Messages     map[string]message            `json:"messages"`
	Shares       map[string]int64              `json:"shares"`
	Usage        map[string]map[string]int64   `json:"usage"`
	Turning      map[string][]message          `json:"turning,omitempty"`  // heads whose message changes from cycle to cycle, for ever
	Inactive     map[string]message            `json:"inactive,omitempty"` // ClusterQueues that cannot admit, and why
	Workloads    map[string][]metav1.Condition `json:"conditions,omitempty"`
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func describe(wl *kueue.Workload) admission {
	a := wl.Status.Admission
	d := admission{ClusterQueue: string(a.ClusterQueue), Admitted: workload.IsAdmitted(wl), PodSets: a.PodSetAssignments,
		Usage: map[string]map[string]int64{}}
	for _, ps := range a.PodSetAssignments {
		u := map[string]int64{}
		for r, q := range ps.ResourceUsage {
			u[string(ps.Flavors[r])+"/"+string(r)] = resources.AmountFromQuantity(r, q).Int64()
		}
		d.Usage[string(ps.Name)] = u
	}
	return d
}

// dump lists the pending workloads of each ClusterQueue in queue order.
func (e *engine) dump() (active, inadmissible map[string][]string) {
	active, inadmissible = map[string][]string{}, map[string][]string{}
	for name, q := range e.watched {
		if q.heap.Len()+q.inadmissible.Len() == 0 {
			continue
		}
		out := sets.New[workload.Reference]()
		if in, ok := q.cq.DumpInadmissible(); ok {
			out.Insert(in...)
		}
		for _, info := range e.queues.PendingWorkloadsInfo(name) {
			k := workload.Key(info.Obj)
			switch {
			case out.Has(k):
				inadmissible[string(name)] = append(inadmissible[string(name)], string(k))
			case q.cq.Info(k) != nil:
				active[string(name)] = append(active[string(name)], string(k))
			}
		}
	}
	return active, inadmissible
}

func (e *engine) final(ctx context.Context) (*final, error) {
	f := &final{Admitted: map[string]admission{}, Messages: map[string]message{}, Shares: map[string]int64{},
		Usage: map[string]map[string]int64{}}
	f.Active, f.Inadmissible = e.dump()
	snap, err := e.cache.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	inCache := snap.ClusterQueues()
	for _, cq := range inCache {
		for k, info := range cq.Workloads {
			f.Admitted[string(k)] = describe(info.Obj)
		}
		u := map[string]int64{}
		for _, rg := range cq.ResourceGroups {
			for _, fl := range rg.Flavors {
				for r := range rg.CoveredResources {
					u[string(fl)+"/"+string(r)] = 0
				}
			}
		}
		for fr, a := range cq.ResourceNode.Usage {
			u[string(fr.Flavor)+"/"+string(fr.Resource)] = a.Int64()
		}
		f.Usage[string(cq.Name)] = u
	}
	for _, k := range sortedKeys(e.store.workloads) {
		wl := e.store.workloads[k]
		ref := string(workload.Key(wl))
		if qr := apimeta.FindStatusCondition(wl.Status.Conditions, kueue.WorkloadQuotaReserved); qr != nil && qr.Status != metav1.ConditionTrue {
			f.Messages[ref] = message{qr.Reason, qr.Message}
		}
		if workload.HasActiveQuotaReservation(wl) && wl.Status.Admission != nil && inCache[wl.Status.Admission.ClusterQueue] == nil {
			f.Admitted[ref] = describe(wl)
		}
		if e.opt.conditions {
			if f.Workloads == nil {
				f.Workloads = map[string][]metav1.Condition{}
			}
			f.Workloads[ref] = wl.Status.Conditions
		}
	}
	for _, c := range e.turning {
		for _, p := range c.Pending {
			if m := (message{p.Reason, p.Message}); !slices.Contains(f.Turning[p.Workload], m) {
				if f.Turning == nil {
					f.Turning = map[string][]message{}
				}
				f.Turning[p.Workload] = append(f.Turning[p.Workload], m)
			}
		}
	}
	maps.DeleteFunc(f.Turning, func(_ string, l []message) bool { return len(l) == 1 })
	cohorts := sets.New[string]()
	for _, c := range e.state.cohorts {
		cohorts.Insert(c.Name)
		if c.Spec.ParentName != "" {
			cohorts.Insert(string(c.Spec.ParentName))
		}
	}
	for _, cq := range e.state.cqs {
		if cq.Spec.CohortName != "" {
			cohorts.Insert(string(cq.Spec.CohortName))
		}
		name := kueue.ClusterQueueReference(cq.Name)
		st, err := e.cache.Usage(cq)
		if err != nil {
			return nil, err
		}
		if inCache[name] == nil {
			u := map[string]int64{}
			for _, fl := range st.ReservedResources {
				for _, r := range fl.Resources {
					u[string(fl.Name)+"/"+string(r.Name)] = resources.AmountFromQuantity(r.Name, r.Total).Int64()
				}
			}
			f.Usage[cq.Name] = u
		}
		if ok, reason, msg := e.cache.ClusterQueueReadiness(name); ok != metav1.ConditionTrue {
			if f.Inactive == nil {
				f.Inactive = map[string]message{}
			}
			f.Inactive[cq.Name] = message{reason, msg}
		}
		if e.fairSharing() {
			f.Shares[cq.Name] = core.WeightedShare(st.WeightedShare)
		}
	}
	if e.fairSharing() {
		for _, name := range slices.Sorted(maps.Keys(cohorts)) {
			st, err := e.cache.CohortStats(&kueue.Cohort{ObjectMeta: metav1.ObjectMeta{Name: name}})
			if err != nil {
				return nil, err
			}
			f.Shares[name] = core.WeightedShare(st.WeightedShare)
		}
	}
	return f, nil
}

func (e *engine) fairSharing() bool { return hidden(e.cache, "fairSharingEnabled").Bool() }
