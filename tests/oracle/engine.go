package main

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/features"
	"sigs.k8s.io/kueue/pkg/scheduler"
	preemptexpectations "sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
	utilqueue "sigs.k8s.io/kueue/pkg/util/queue"
	"sigs.k8s.io/kueue/pkg/workload"
	workloadevict "sigs.k8s.io/kueue/pkg/workload/evict"
)

// stopwatch adds up wall time and the process's CPU time.
type stopwatch struct{ wall, cpu time.Duration }

func (s *stopwatch) start() func() {
	wall, cpu := time.Now(), cpuTime()
	return func() {
		s.wall += time.Since(wall)
		s.cpu += cpuTime() - cpu
	}
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

type requeuer interface{ ProcessRequeues(context.Context) int }

// engine is Kueue's scheduler with its caches, an in-memory API server and a clock that we turn.
type engine struct {
	opt       options
	state     *state
	store     *store
	clock     *clocktesting.FakeClock
	cache     *schdcache.Cache
	queues    *qcache.Manager
	requeuer  requeuer
	scheduler *scheduler.Scheduler
	reconcile *core.WorkloadReconciler
	watched   map[kueue.ClusterQueueReference]queueState
	trace     *trace
	events    *events
	log       logr.Logger
	held      uint64 // digest of all changes to reservations

	evicting map[key]bool // may hold quota although evicted

	schedulerTime, eventTime, setupTime stopwatch
	cycles                              int
	parent                              map[string]string // ClusterQueue or "cohort NAME" -> cohort
	turning                             []*cycle          // at the fixpoint: the cycles that repeat for ever
}

// setGates sets feature gates for one case and returns what undoes it.
func setGates(gates map[string]bool) (func(), error) {
	old := map[string]bool{}
	known := utilfeature.DefaultMutableFeatureGate.GetAll()
	for name := range gates {
		for f := range known {
			if string(f) == name {
				old[name] = features.Enabled(f)
			}
		}
		if _, ok := old[name]; !ok {
			return nil, fmt.Errorf("feature gate %s: unknown", name)
		}
	}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(gates); err != nil {
		return nil, err
	}
	return func() { _ = utilfeature.DefaultMutableFeatureGate.SetFromMap(old) }, nil
}

func newEngine(ctx context.Context, in *input, st *state, opt options) (*engine, context.Context, error) {
	e := &engine{opt: opt, state: st, store: newStore(), trace: &trace{}, evicting: map[key]bool{},
		watched: map[kueue.ClusterQueueReference]queueState{}}
	defer e.setupTime.start()()
	e.parent = map[string]string{}
	for _, c := range st.cohorts {
		e.parent["cohort "+c.Name] = string(c.Spec.ParentName)
	}
	for _, q := range st.cqs {
		e.parent[q.Name] = string(q.Spec.CohortName)
	}
	e.trace.reset()
	e.events = &events{t: e.trace}
	e.clock = clocktesting.NewFakeClock(in.Now)
	e.log = logr.Discard()
	if !opt.quiet {
		e.log = logr.New(sink{t: e.trace, level: 2})
	}
	ctx = ctrl.LoggerInto(ctx, e.log)
	for _, o := range st.rest {
		e.store.add(o)
	}
	for _, o := range st.cqs {
		e.store.add(o.DeepCopy())
	}
	for _, o := range st.lqs {
		e.store.add(o)
	}
	for _, o := range st.workloads {
		e.store.add(o)
	}

	expectations := preemptexpectations.New()
	fs := in.Given.FairSharing.FairSharing
	cacheOpts := []schdcache.Option{
		schdcache.WithResourceTransformations(in.Given.ResourceTransformations),
		schdcache.WithFairSharing(fs != nil),
		schdcache.WithAdmissionFairSharing(in.Given.AFS),
	}
	e.cache = schdcache.New(e.store, cacheOpts...)
	e.queues, e.requeuer = newQueues(e, in, expectations)
	e.reconcile = core.NewWorkloadReconciler(e.store, e.queues, e.cache, e.events,
		core.WithPreemptionExpectations(expectations), core.WithAdmissionFairSharing(in.Given.AFS))
	hidden(e.reconcile, "clock").Set(hidden(e, "clock"))

	if err := e.load(ctx, in); err != nil {
		return nil, nil, err
	}
	e.scheduler = scheduler.New(e.queues, e.cache, e.store, e.events,
		scheduler.WithFairSharing(fs),
		scheduler.WithAdmissionFairSharing(in.Given.AFS),
		scheduler.WithClock(nil, e.clock),
		scheduler.WithPreemptionExpectations(expectations))
	setAdmissionRoutine(e.scheduler, inline{})
	return e, ctx, nil
}

func newQueues(e *engine, in *input, x *expectationStore) (*qcache.Manager, requeuer) {
	return qcache.NewManagerForUnitTestsWithRequeuer(e.store, e.cache,
		qcache.WithClock(e.clock),
		qcache.WithPreemptionExpectations(x),
		qcache.WithResourceTransformations(in.Given.ResourceTransformations),
		qcache.WithAdmissionFairSharing(in.Given.AFS))
}

// load fills the caches in the order in which a starting controller's dependencies resolve.
func (e *engine) load(ctx context.Context, in *input) error {
	st := e.state
	for _, n := range st.nodes {
		e.cache.TASCache().SyncNode(n)
	}
	for _, ac := range st.checks {
		e.cache.AddOrUpdateAdmissionCheck(e.log, ac)
	}
	for _, t := range st.topologies {
		e.cache.AddOrUpdateTopology(e.log, t)
	}
	for _, f := range st.flavors {
		e.cache.AddOrUpdateResourceFlavor(e.log, f)
	}
	for _, t := range st.topologies { // a topology binds to the flavors that are there when it comes
		e.cache.AddOrUpdateTopology(e.log, t)
	}
	for _, c := range st.cohorts {
		if err := e.cache.AddOrUpdateCohort(c); err != nil {
			return fmt.Errorf("cohort %s: %w", c.Name, err)
		}
		e.queues.AddOrUpdateCohort(ctx, c)
	}
	for _, cq := range st.cqs {
		if err := e.cache.AddClusterQueue(ctx, cq); err != nil {
			return fmt.Errorf("cluster queue %s: %w", cq.Name, err)
		}
		if cq.DeletionTimestamp != nil {
			e.cache.TerminateClusterQueue(kueue.ClusterQueueReference(cq.Name))
		}
		if err := e.queues.AddClusterQueue(ctx, cq); err != nil {
			return fmt.Errorf("cluster queue %s: %w", cq.Name, err)
		}
		name := kueue.ClusterQueueReference(cq.Name)
		q := queueOf(e.queues, name)
		hidden(q, "clock").Set(hidden(e, "clock"))
		e.watched[name] = watch(q)
	}
	for _, lq := range st.lqs {
		if in.Given.AFS != nil && lq.Status.FairSharing != nil && lq.Status.FairSharing.AdmissionFairSharingStatus != nil {
			e.queues.AfsUsageLedger.SetForTest(utilqueue.Key(lq),
				lq.Status.FairSharing.AdmissionFairSharingStatus.ConsumedResources, in.Now)
		}
		if ptr.Deref(lq.Spec.StopPolicy, kueue.None) != kueue.None {
			continue // the LocalQueue controller does not queue for a stopped one
		}
		if err := e.queues.AddLocalQueue(ctx, lq); err != nil {
			return fmt.Errorf("local queue %s/%s: %w", lq.Namespace, lq.Name, err)
		}
	}
	for _, p := range st.pods {
		e.cache.TASCache().Update(p, e.log)
	}
	if e.opt.backoff {
		e.holdBackoffs(ctx, in.Now)
	}
	second := false
	for _, wl := range st.workloads {
		if !workload.HasQuotaReservation(wl) {
			continue
		}
		c := wl.DeepCopy()
		workload.AdjustResources(ctx, e.store, c)
		e.cache.AddOrUpdateWorkload(e.log, c)
		if workloadevict.IsEvicted(wl) {
			e.evicting[key{Namespace: wl.Namespace, Name: wl.Name}] = true
		}
		if e.queues.QueueSecondPassIfNeeded(ctx, c, 0) {
			second = true
		}
	}
	if second {
		e.clock.Step(time.Second)
	}
	return nil
}

// holdBackoffs takes workloads that wait for their requeue time out of the heaps. A starting Kueue does not: it puts all
// that is pending into the heaps; one that has been running keeps them back.
func (e *engine) holdBackoffs(ctx context.Context, now time.Time) {
	for _, wl := range e.state.workloads {
		if !workload.IsAdmissible(wl) {
			continue
		}
		later := wl.Status.RequeueState != nil && wl.Status.RequeueState.RequeueAt != nil && wl.Status.RequeueState.RequeueAt.After(now)
		if !later && !apimeta.IsStatusConditionFalse(wl.Status.Conditions, kueue.WorkloadRequeued) {
			continue
		}
		c := wl.DeepCopy()
		workload.AdjustResources(ctx, e.store, c)
		e.queues.DeleteWorkload(e.log, workload.Key(wl))
		_ = e.queues.AddOrUpdateWorkload(e.log, c) // only fails where there is no queue
	}
}
