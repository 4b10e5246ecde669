package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/features"
	"sigs.k8s.io/kueue/pkg/workload"
	workloadevict "sigs.k8s.io/kueue/pkg/workload/evict"
	workloadpatching "sigs.k8s.io/kueue/pkg/workload/patching"
)

// hasHeads says whether a cycle would find work; asking the queues themselves would block.
func (e *engine) hasHeads() bool {
	if secondPassReady(e.queues) > 0 {
		return true
	}
	for name, q := range e.watched {
		if q.heap.Len() > 0 && e.cache.ClusterQueueActive(name) {
			return true
		}
	}
	return false
}

type queueSizes [2]int // active, inadmissible

func (e *engine) sizes() map[kueue.ClusterQueueReference]queueSizes {
	m := make(map[kueue.ClusterQueueReference]queueSizes, len(e.watched))
	for name, q := range e.watched {
		m[name] = queueSizes{q.heap.Len(), q.inadmissible.Len()}
	}
	return m
}

// run makes cycles until nothing changes.
func (e *engine) run(ctx context.Context, out *output) {
	limit := e.opt.maxCycles
	if limit == 0 {
		limit = 10*len(e.state.workloads) + 100
	}
	if e.opt.oneCycle {
		if e.hasHeads() {
			out.Cycles = append(out.Cycles, e.cycle(ctx))
		}
		return
	}
	if e.opt.reconcile {
		e.reconcileAll(ctx, sortedKeys(e.store.workloads))
		e.deliver(ctx)
		e.evict(ctx)
		e.deliver(ctx)
	}
	e.requeuer.ProcessRequeues(ctx)
	seen := map[string]int{}   // positions met since the last change -> cycle
	states := map[string]int{} // whole states -> times met
	for {
		if !e.hasHeads() && e.requeuer.ProcessRequeues(ctx) == 0 && !e.wait() {
			out.Fixpoint = true
			return
		}
		if !e.hasHeads() {
			continue
		}
		if e.cycles >= limit {
			return
		}
		sizes := e.sizes()
		c := e.cycle(ctx)
		out.Cycles = append(out.Cycles, c)

		stop := e.eventTime.start()
		e.deliver(ctx)
		c.Evicted = e.evict(ctx)
		e.deliver(ctx)
		if e.opt.requeue == "each" {
			c.Requeued = e.requeuer.ProcessRequeues(ctx)
		}
		stop()
		e.clock.Step(time.Second)

		if len(c.Admitted)+len(c.Preempted)+len(c.Evicted)+c.Requeued > 0 || !maps.Equal(sizes, e.sizes()) {
			clear(seen)
			at := e.wholeState()
			if states[at]++; states[at] == 5 {
				out.Livelock = true
				return
			}
			continue
		}
		// Nothing moved. A head that stays may still go on with its search of flavors: the end is reached when the
		// positions come round.
		at := e.scanPositions()
		if from, ok := seen[at]; ok {
			if e.opt.requeue != "each" && e.requeuer.ProcessRequeues(ctx) > 0 {
				continue
			}
			out.Fixpoint = true
			e.turning = out.Cycles[from:]
			return
		}
		seen[at] = e.cycles
	}
}

// wait turns the clock to the next second pass, if there is one.
func (e *engine) wait() bool {
	for range 40 {
		if !e.clock.HasWaiters() {
			return false
		}
		e.clock.Step(time.Second)
		if secondPassReady(e.queues) > 0 {
			return true
		}
	}
	return false
}

// scanPositions is the part of the engine's state that an unsuccessful cycle may still move: where each workload's
// search of flavors will go on.
func (e *engine) scanPositions() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(e.watched)) {
		if e.watched[name].heap.Len() == 0 {
			continue
		}
		for _, info := range e.queues.PendingWorkloadsInfo(name) {
			if info.LastAssignment != nil && e.watched[name].cq.Info(workload.Key(info.Obj)) != nil {
				fmt.Fprintln(&b, workload.Key(info.Obj), info.LastAssignment.LastTriedFlavorIdx)
			}
		}
	}
	return b.String()
}

// wholeState is what decides how things go on, up to times: who holds what, who waits where.
func (e *engine) wholeState() string {
	h := e.held
	for name, q := range e.watched {
		if q.heap.Len()+q.inadmissible.Len() == 0 {
			continue
		}
		h += fnvOf(string(name), fmt.Sprint(q.heap.Len()))
		in, _ := q.cq.DumpInadmissible()
		for _, k := range in {
			h += fnvOf(string(name), string(k))
		}
	}
	return fmt.Sprint(h, e.scanPositions())
}

// fnvOf is a digest whose sums do not depend on the order of what is added up.
func fnvOf(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

func holds(k key, wl *kueue.Workload) uint64 {
	if !workload.HasQuotaReservation(wl) {
		return 0
	}
	assigned, _ := json.Marshal(wl.Status.Admission)
	return fnvOf(k.String(), string(assigned))
}

// cycle makes one scheduling cycle and says what it did.
func (e *engine) cycle(ctx context.Context) *cycle {
	e.cycles++
	c := &cycle{N: e.cycles, At: e.clock.Now().UTC().Format(time.RFC3339Nano)}
	e.trace.reset()
	before := e.sizes()
	took := e.schedulerTime.wall
	stop := e.schedulerTime.start()
	schedulerStep(e.scheduler, ctx)
	stop()
	c.MS = ms(e.schedulerTime.wall - took)

	for _, k := range sortedKeys(e.store.dirty) {
		old, now := e.store.dirty[k], e.store.workloads[k]
		ref := k.Namespace + "/" + k.Name
		switch {
		case workloadevict.IsEvicted(now) && !workloadevict.IsEvicted(old):
			ev := apimeta.FindStatusCondition(now.Status.Conditions, kueue.WorkloadEvicted)
			p := preempted{Workload: ref, Evicted: ev.Reason, Preemptor: e.trace.preemptor[ref], Message: ev.Message}
			if now.Status.Admission != nil {
				p.ClusterQueue = string(now.Status.Admission.ClusterQueue)
			}
			if pc := apimeta.FindStatusCondition(now.Status.Conditions, kueue.WorkloadPreempted); pc != nil && pc.Status == metav1.ConditionTrue && ev.Reason == kueue.WorkloadEvictedByPreemption {
				p.Reason = pc.Reason
			}
			c.Preempted = append(c.Preempted, p)
		case workload.HasQuotaReservation(now) && (!workload.HasQuotaReservation(old) || old.Status.Admission != now.Status.Admission):
			c.Admitted = append(c.Admitted, admittedWorkload{Workload: ref, admission: describe(now)})
		}
	}
	for _, ref := range e.trace.order {
		if c.Order == nil {
			c.Order = map[string][]string{}
		}
		root := e.rootOf(ref)
		c.Order[root] = append(c.Order[root], ref)
	}
	for _, r := range e.trace.requeued {
		p := pending{Workload: r.key, RequeueReason: r.reason, Status: r.status, Where: "none"}
		ns, name, _ := strings.Cut(r.key, "/")
		wl := e.store.workloads[key{Namespace: ns, Name: name}]
		if wl == nil {
			c.Pending = append(c.Pending, p)
			continue
		}
		if cq, ok := e.queues.ClusterQueueForWorkload(wl); ok {
			p.ClusterQueue = string(cq)
			ref := workload.Key(wl)
			q := e.watched[cq]
			if q.cq.Info(ref) != nil {
				p.Where = "active"
			} else if in, _ := q.cq.DumpInadmissible(); slices.Contains(in, ref) {
				p.Where = "inadmissible"
			}
		}
		if qr := apimeta.FindStatusCondition(wl.Status.Conditions, kueue.WorkloadQuotaReserved); qr != nil {
			p.Reason, p.Message = qr.Reason, qr.Message
		}
		c.Pending = append(c.Pending, p)
	}
	slices.SortFunc(c.Pending, func(a, b pending) int { return strings.Compare(a.Workload, b.Workload) })
	for name, now := range e.sizes() {
		if now != before[name] {
			if c.Queues == nil {
				c.Queues = map[string]queueSizes{}
			}
			c.Queues[string(name)] = now
		}
	}
	c.Errors = e.trace.errors
	return c
}

// rootOf names the root cohort that the workload competes in, or its ClusterQueue if that has no cohort.
func (e *engine) rootOf(ref string) string {
	ns, name, _ := strings.Cut(ref, "/")
	wl := e.store.workloads[key{Namespace: ns, Name: name}]
	if wl == nil {
		return ""
	}
	cq, _ := e.queues.ClusterQueueForWorkload(wl)
	up, ok := e.parent[string(cq)]
	if !ok || up == "" {
		return string(cq)
	}
	for range len(e.parent) + 1 {
		next := e.parent["cohort "+up]
		if next == "" {
			break
		}
		up = next
	}
	return up
}

// deliver passes changed workloads to the handlers that Kueue's workload controller has for update events.
func (e *engine) deliver(ctx context.Context) {
	for round := 0; len(e.store.dirty) > 0 && round < 20; round++ {
		changed := e.store.dirty
		e.store.dirty = map[key]*kueue.Workload{}
		for _, k := range sortedKeys(changed) {
			wl := e.store.workloads[k]
			e.held += holds(k, wl) - holds(k, changed[k])
			e.reconcile.Update(event.TypedUpdateEvent[*kueue.Workload]{ObjectOld: changed[k], ObjectNew: wl})
			if workloadevict.IsEvicted(wl) {
				e.evicting[k] = true
			}
		}
		if e.opt.reconcile {
			e.reconcileAll(ctx, sortedKeys(changed))
		}
	}
}

// reconcileAll runs the workload controller once on each of the workloads.
func (e *engine) reconcileAll(ctx context.Context, keys []key) {
	for _, k := range keys {
		if _, err := e.reconcile.Reconcile(ctx, reconcile.Request{NamespacedName: k}); err != nil {
			e.log.Error(err, "Reconciling workload", "workload", klog.KRef(k.Namespace, k.Name))
		}
	}
}

// evict ends the workloads that the cycle (or the input) marked as evicted, as if their jobs stopped at once: what the
// job controllers write when a job that had to stop is no longer active.
func (e *engine) evict(ctx context.Context) []string {
	var gone []string
	for _, k := range sortedKeys(e.evicting) {
		delete(e.evicting, k)
		wl := e.store.workloads[k]
		if !workloadevict.IsEvicted(wl) || !workload.HasActiveQuotaReservation(wl) {
			continue
		}
		ev := *apimeta.FindStatusCondition(wl.Status.Conditions, kueue.WorkloadEvicted)
		again := ev.Reason == kueue.WorkloadEvictedByPreemption || ev.Reason == kueue.WorkloadEvictedDueToNodeFailures
		if features.Enabled(features.SkipReassignmentForPodOwnedWorkloads) && workload.OwnedBySinglePod(wl) {
			again = false
		}
		reason := workload.UnadmittedWorkloadReasonWithFallback(kueue.WorkloadQuotaReservedReasonPendingEvaluation, "Pending")
		err := workloadpatching.PatchAdmissionStatus(ctx, e.store, wl.DeepCopy(), e.clock, func(w *kueue.Workload) (bool, error) {
			workload.SetRequeuedCondition(w, ev.Reason, ev.Message, again)
			if r := apimeta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadRequeued); r != nil {
				r.LastTransitionTime = metav1.NewTime(e.clock.Now()) // the helper takes the wall clock
			}
			workload.UnsetQuotaReservationWithCondition(w, reason, ev.Message, e.clock.Now())
			return true, nil
		})
		if err != nil {
			e.log.Error(err, "Clearing admission", "workload", klog.KObj(wl))
			continue
		}
		gone = append(gone, k.Namespace+"/"+k.Name)
	}
	return gone
}
