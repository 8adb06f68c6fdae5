package dev.wheelhouse.controllers.autoscaling;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V2CrossVersionObjectReference;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import io.kubernetes.client.openapi.models.V2MetricSpec;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.Change;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.ResourceMapper;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.ScaleClient;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.ControllerOptions.HorizontalPodAutoscaler;
import dev.wheelhouse.controllers.autoscaling.AutoscalerDecisions.Decision;
import dev.wheelhouse.controllers.autoscaling.AutoscalerView.Target;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.RateLimits;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Scales the targets of HorizontalPodAutoscalers by metrics (upstream: {@code pkg/controller/podautoscaler}). Each
 * autoscaler is looked at every 15 s, and 15 s after it was created. {@code AutoscalerDecisions} decides.
 */
public final class AutoscalerController extends ObjectController<V2HorizontalPodAutoscaler> {
    public static final String NAME = "horizontal-pod-autoscaler-controller";

    /** How often the scale is written if the target changes at the same time. */
    private static final int TRIES = 5;

    private final HorizontalPodAutoscaler options;
    private final SharedIndexInformer<V1Pod> pods;
    private final ScaleClient scales;
    private final ApiMetrics metrics;
    private final AutoscalerMetrics counts;
    /** The number of autoscalers in the cache. Only the event handler uses it. */
    private int known;
    private final Map<ObjectKey, Memory> memories = memory();
    /** The selectors of the targets, as the last looks at the autoscalers found them. */
    private final Map<ObjectKey, LabelSelector> selectors = memory();

    public AutoscalerController(ControllerContext context) {
        super(NAME, "horizontal-pod-autoscaler", context, limits(context), null, AutoscalerDecisions.AUTOSCALERS,
                V2HorizontalPodAutoscaler.class);
        this.options = context.options().get(HorizontalPodAutoscaler.DEFAULTS);
        this.pods = informerFor(ResourceType.PODS, V1Pod.class);
        ResourceMapper mapper = new ResourceMapper(context.client(), context.clock());
        this.scales = new ScaleClient(context.client(), mapper);
        this.metrics = new ApiMetrics(context.client(), mapper, context.clock());
        this.counts = new AutoscalerMetrics(metrics());
        // An autoscaler is looked at once in each period.
        watch(primary).first(this::count).after(options.syncPeriod()).enqueue(ObjectKey::of);
    }

    private void count(Change<V2HorizontalPodAutoscaler> change) {
        if (change.isDeletion()) {
            counts.count(--known);
            selectors.remove(ObjectKey.of(change.object()));
        } else if (change.isAddition()) {
            counts.count(++known);
        }
    }

    private static RateLimits limits(ControllerContext context) {
        Duration period = context.options().get(HorizontalPodAutoscaler.DEFAULTS).syncPeriod();
        return new RateLimits(period, period, RateLimits.CONTROLLER.perSecond(), RateLimits.CONTROLLER.burst());
    }

    @Override
    protected Result gone(ObjectKey key, SyncRun run) throws InterruptedException {

        run.effect(() -> counts.gone(key));
        return super.gone(key, run);
    }

    @Override
    protected Result sync(ObjectKey key, V2HorizontalPodAutoscaler autoscaler, SyncRun run) {
        long start = clock.nanoTime();
        ScaleClient.Scaled scaled;
        try {
            scaled = scale(autoscaler);
        } catch (KubeApiException e) {
            run.effect(() -> counts.reconciled(0, hasValidTarget(autoscaler) ? "internal" : "spec",
                    clock.nanoTime() - start));
            return end(autoscaler, run.execute(unreachable(autoscaler, e)), null, run);
        }
        AutoscalerView view = view(key, autoscaler, scaled);
        Decision decision = AutoscalerDecisions.decide(view);
        run.execute(decision.events());
        Outcome written = decision.why() == null ? null : write(key, autoscaler, scaled, decision, run);
        KubeApiException failure = written == null ? null : written.error();
        Outcome reported = run.execute(AutoscalerDecisions.report(view, decision, failure));
        boolean scales = written != null && written.succeeded();
        run.note(() -> remember(key, view, decision, scales && run.writes()));
        run.effect(() -> count(key, view, decision, written, reported, start));
        return end(autoscaler, reported, failure, run);
    }

    private void remember(ObjectKey key, AutoscalerView view, Decision decision, boolean scaled) {
        if (view.target() instanceof Target.Selected selected) {
            selectors.put(key, selected.selector());
        }
        memories.put(key, scaled
                ? ReplicaLimits.afterScaling(decision.memory(), view.autoscaler().getSpec().getBehavior(),
                        view.replicas(),
                        decision.replicas(), view.now())
                : decision.memory());
    }

    /** @param written the outcome of the write of the scale; null if there was none */
    private void count(ObjectKey key, AutoscalerView view, Decision decision, @Nullable Outcome written,
            Outcome reported, long start) {
        boolean failed = written != null && !written.succeeded();
        boolean scaled = written != null && !failed;
        counts.computed(view.autoscaler(), view.target(), decision);
        boolean complete = !decision.failed() && !failed;
        if (complete) {
            counts.desired(key, decision.replicas());
        }
        complete = complete && reported.error() == null
                && (decision.proposals() == null || decision.proposals().problems().isEmpty());
        counts.reconciled(scaled ? decision.replicas() - view.replicas() : 0, complete ? "none" : "internal",
                clock.nanoTime() - start);
    }

    /** Whether the reference to the target has a group and a version. Only its spec can be wrong otherwise. */
    private static boolean hasValidTarget(V2HorizontalPodAutoscaler autoscaler) {
        String version = autoscaler.getSpec().getScaleTargetRef().getApiVersion();
        return version == null || version.indexOf('/') == version.lastIndexOf('/');
    }

    private Result end(V2HorizontalPodAutoscaler autoscaler, Outcome reported, @Nullable KubeApiException failure,
            SyncRun run) {
        if (reported.error() != null) {
            run.execute(List.of(AutoscalerDecisions.statusFailed(autoscaler, reported.error())));
            return Result.retry(reported.error());
        }
        return failure == null ? Result.requeueAfter(options.syncPeriod()) : Result.retry(failure);
    }

    private ScaleClient.Scaled scale(V2HorizontalPodAutoscaler autoscaler) {
        V2CrossVersionObjectReference target = autoscaler.getSpec().getScaleTargetRef();
        return scales.get(orEmpty(target.getApiVersion()), target.getKind(),
                ObjectKey.of(namespace(autoscaler), target.getName()));
    }

    private List<Action> unreachable(V2HorizontalPodAutoscaler autoscaler, KubeApiException error) {
        return AutoscalerDecisions.unreachable(autoscaler, clock.now(), error.statusMessage());
    }

    private AutoscalerView view(ObjectKey key, V2HorizontalPodAutoscaler autoscaler, ScaleClient.Scaled scaled) {
        var status = scaled.scale().getStatus();
        return new AutoscalerView(autoscaler, scaled.replicas(), status == null ? 0 : status.getReplicas(),
                AutoscalerDecisions.needsMetrics(autoscaler, scaled.replicas())
                        ? target(key, autoscaler, status == null ? null : status.getSelector())
                        : new Target.NotNeeded(),
                memories.getOrDefault(key, Memory.EMPTY), options, clock.now());
    }

    private Target target(ObjectKey key, V2HorizontalPodAutoscaler autoscaler, @Nullable String text) {
        if (text == null || text.isEmpty()) {
            return new Target.WithoutSelector();
        }
        LabelSelector selector;
        try {
            selector = LabelSelector.parse(text);
        } catch (IllegalArgumentException e) {
            return new Target.WrongSelector(String.valueOf(e.getMessage()));
        }
        List<V1Pod> selected = pods.getIndexer().list(key.namespace()).stream()
                .filter(pod -> selector.matches(pod.getMetadata().getLabels())).toList();
        List<ObjectKey> selecting = selecting(key, selected);
        List<Long> nanos = new ArrayList<>();
        List<V2MetricSpec> specs = selecting.size() <= 1 ? autoscaler.getSpec().getMetrics() : null;
        List<Reading> readings = specs == null
                ? List.of()
                : Reading.of(specs, key.namespace(), selector, metrics, clock, nanos);
        return new Target.Selected(text, selector, selected, selecting, readings, nanos);
    }

    /** The autoscalers that scale the target of any of these pods, which are those of one autoscaler. */
    private List<ObjectKey> selecting(ObjectKey own, List<V1Pod> selected) {
        return Stream.concat(selected.isEmpty() ? Stream.empty() : Stream.of(own), selectors.entrySet().stream()
                .filter(other -> other.getKey().namespace().equals(own.namespace()) && !other.getKey().equals(own)
                        && selected.stream().anyMatch(pod -> other.getValue().matches(pod.getMetadata().getLabels())))
                .map(Map.Entry::getKey)).sorted().toList();
    }

    /** Writes the scale. If the target has changed since it was read, its scale is read again. */
    private Outcome write(ObjectKey key, V2HorizontalPodAutoscaler autoscaler, ScaleClient.Scaled scaled,
            Decision decision, SyncRun run) {
        ScaleClient.Scaled current = scaled;
        for (int attempt = 1;; attempt++) {
            Outcome outcome = run.execute(
                    List.of(current.withReplicas(decision.replicas(), "autoscaler " + key + ": " + decision.why())));
            if (attempt == TRIES || outcome.error() == null || !outcome.error().isConflict()) {
                return outcome;
            }
            try {
                current = scale(autoscaler);
            } catch (KubeApiException e) {
                return outcome;
            }
        }
    }

    private static String namespace(V2HorizontalPodAutoscaler autoscaler) {
        return String.valueOf(autoscaler.getMetadata().getNamespace());
    }
}
