package dev.wheelhouse.controllers.resourceclaim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.ResourceV1ResourceClaim;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodResourceClaim;
import io.kubernetes.client.openapi.models.V1ResourceClaimConsumerReference;
import io.kubernetes.client.openapi.models.V1ResourceClaimTemplate;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Attempt;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controller.TypedKey;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.runtime.BoundedMap;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Makes ResourceClaims for pods from templates, and keeps track of the pods for which claims are reserved (upstream:
 * {@code pkg/controller/resourceclaim}).
 */
public final class ResourceClaimController extends KeyedController<ResourceClaimController.Key> {
    public static final String NAME = "resourceclaim-controller";
    /** The type of the claims, which API servers serve from 1.34 on. */
    public static final ResourceType CLAIMS = new ResourceType("resource.k8s.io", "v1", "resourceclaims",
            "ResourceClaim", true);
    /** The type of the templates of claims. */
    public static final ResourceType TEMPLATES = new ResourceType("resource.k8s.io", "v1", "resourceclaimtemplates",
            "ResourceClaimTemplate", true);

    private static final String PODS_OF_CLAIM = NAME + "/claim";
    private static final String PODS_OF_TEMPLATE = NAME + "/template";
    private static final String CLAIMS_OF_POD = NAME + "/pod";
    /** The deleted pods that are remembered, so that they need not be read from the API server. */
    private static final int MOST_DELETED = 500;

    private static final Measure CREATIONS = Measure.counter("resourceclaim_controller_creates_total",
            "ResourceClaims whose creation was tried", "status", "admin_access");

    private final SharedIndexInformer<V1Pod> pods;
    private final SharedIndexInformer<ResourceV1ResourceClaim> claims;
    private final SharedIndexInformer<V1ResourceClaimTemplate> templates;
    private final ResourceClient<PartialObjectMetadata> livePods;
    private final Set<String> deletedPods = Collections.synchronizedSet(
            Collections.newSetFromMap(BoundedMap.byAge(MOST_DELETED)));

    /** The object of a sync: a pod that gets claims, or a claim that is reserved for pods. */
    sealed interface Key extends TypedKey {
        record OfPod(ObjectKey object) implements Key {
            @Override
            public String toString() {
                return object.toString();
            }
        }

        record OfClaim(ObjectKey object) implements Key {
            @Override
            public String toString() {
                return object.namespace() + "/claim:" + object.name();
            }
        }
    }

    public ResourceClaimController(ControllerContext context) {
        super(NAME, "resource_claim", context, RateLimits.CONTROLLER, null);
        pods = informerFor(ResourceType.PODS, V1Pod.class);
        claims = informerFor(CLAIMS, ResourceV1ResourceClaim.class);
        templates = informerFor(TEMPLATES, V1ResourceClaimTemplate.class);
        livePods = context.client().metadata(ResourceType.PODS);
        pods.getIndexer().addIndex(PODS_OF_CLAIM, pod -> PodClaims.names(pod).stream()
                .map(name -> pod.getMetadata().getNamespace() + "/" + name).toList());
        pods.getIndexer().addIndex(PODS_OF_TEMPLATE, pod -> PodClaims.of(pod).stream()
                .filter(wanted -> wanted.getResourceClaimTemplateName() != null)
                .map(wanted -> pod.getMetadata().getNamespace() + "/" + wanted.getResourceClaimTemplateName())
                .distinct().toList());
        claims.getIndexer().addIndex(CLAIMS_OF_POD, claim -> {
            V1OwnerReference owner = PodClaims.owner(claim);
            return owner == null ? List.of() : List.of(owner.getUid());
        });
        ClaimCounts counts = new ClaimCounts(metrics());
        watch(pods).enqueueFor(change -> change.isDeletion() ? keysOfDeleted(change.object()) : keys(change.object()));
        // A claim that a pod names and that is deleted is made again.
        watch(claims).first(change -> counts.change(change.before(), change.after()))
                .enqueueEach(claim -> Stream.concat(
                        Stream.of(new Key.OfClaim(ObjectKey.of(claim))), podsBy(PODS_OF_CLAIM, ObjectKey.of(claim))));
        watch(templates).enqueueEach(template -> podsBy(PODS_OF_TEMPLATE, ObjectKey.of(template)));
    }

    @Override
    public ResourceType syncs() {
        return ResourceType.PODS;
    }

    @Override
    protected @Nullable Key keyOf(String groupResource, ObjectKey object) {
        return groupResource.equals(ResourceType.PODS.groupResource()) && pods.get(object) != null
                ? new Key.OfPod(object)
                : groupResource.equals(CLAIMS.groupResource()) && claims.get(object) != null
                        ? new Key.OfClaim(object)
                        : null;
    }

    @Override
    protected Result sync(Key key, SyncRun run) {
        return switch (key) {
            case Key.OfPod of -> syncPod(of.object(), run);
            case Key.OfClaim of -> syncClaim(of.object(), run);
        };
    }

    private Result syncPod(ObjectKey key, SyncRun run) {
        V1Pod pod = pods.get(key);
        if (pod == null) {
            run.forget();
            return Result.done();
        }
        PodView view = view(pod);
        Action.Write next = PodDecisions.decide(view);
        while (next != null) {
            Outcome outcome = run.execute(List.of(next));
            if (next instanceof Action.Create create) {
                count(create, pod, outcome, run);
            }
            if (!outcome.succeeded() || isLast(outcome, run)) {
                return outcome.toResult();
            }
            view = view.after(outcome.written().getFirst());
            next = PodDecisions.decide(view);
        }
        PodDecisions.Problem problem = PodDecisions.problem(view);
        if (problem == null) {
            return Result.done();
        }
        String message = "PodResourceClaim " + problem.claim().getName() + ": " + problem.message();
        report(pod, message, run);
        return Result.retry(new IllegalStateException("pod " + key + ", " + message));
    }

    /** Whether no further write can be decided on. A plan does not know the names that the server gives. */
    private static boolean isLast(Outcome outcome, SyncRun run) {
        return outcome.written().isEmpty() || !run.writes();
    }

    private static void count(Action.Create create, V1Pod pod, Outcome outcome, SyncRun run) {
        ResourceV1ResourceClaim claim = (ResourceV1ResourceClaim) create.object();
        for (Attempt attempt : outcome.attempts()) {
            run.count(CREATIONS, 1, attempt.done() ? "success" : "failure", ClaimCounts.adminAccess(claim));
        }
        KubeApiException error = outcome.error();
        if (error != null) {
            report(pod, "PodResourceClaim " + Metadata.annotation(claim, PodView.NAME_IN_POD)
                    + ": create ResourceClaim : " + error.statusMessage(), run);
        }
    }

    private static void report(V1Pod pod, String message, SyncRun run) {
        run.execute(List.of(new Action.Event(ResourceType.PODS, pod, EventRecorder.WARNING,
                "FailedResourceClaimCreation", message)));
    }

    private PodView view(V1Pod pod) {
        String namespace = String.valueOf(pod.getMetadata().getNamespace());
        Map<String, ResourceV1ResourceClaim> named = new HashMap<>();
        for (String name : PodClaims.names(pod)) {
            ResourceV1ResourceClaim claim = claims.get(ObjectKey.of(namespace, name));
            if (claim != null) {
                named.put(name, claim);
            }
        }
        Map<String, V1ResourceClaimTemplate> known = new HashMap<>();
        for (V1PodResourceClaim wanted : PodClaims.of(pod)) {
            String name = wanted.getResourceClaimTemplateName();
            V1ResourceClaimTemplate template = name == null ? null : templates.get(ObjectKey.of(namespace, name));
            if (template != null) {
                known.put(name, template);
            }
        }
        return new PodView(pod, named,
                claims.getIndexer().byIndex(CLAIMS_OF_POD, String.valueOf(pod.getMetadata().getUid())), known);
    }

    private Result syncClaim(ObjectKey key, SyncRun run) {
        ResourceV1ResourceClaim claim = claims.get(key);
        if (claim == null) {
            run.forget();
            return Result.done();
        }
        ResourceClaimView view = view(claim);
        Action.Write next = ResourceClaimDecisions.decide(view);
        while (next != null) {
            Outcome outcome = run.execute(List.of(next));
            if (!outcome.succeeded() || isLast(outcome, run)) {
                return outcome.toResult();
            }
            view = view.after((ResourceV1ResourceClaim) outcome.written().getFirst());
            next = ResourceClaimDecisions.decide(view);
        }
        return Result.done();
    }

    private ResourceClaimView view(ResourceV1ResourceClaim claim) {
        String namespace = String.valueOf(claim.getMetadata().getNamespace());
        Set<String> gone = PodClaims.consumers(claim).stream().filter(consumer -> PodClaims.isPod(consumer)
                && !isNeeded(ObjectKey.of(namespace, consumer.getName()), consumer.getUid()))
                .map(V1ResourceClaimConsumerReference::getUid).collect(Collectors.toSet());
        V1OwnerReference owner = PodClaims.owner(claim);
        return new ResourceClaimView(claim, gone,
                owner == null ? null : pods.get(ObjectKey.of(namespace, owner.getName())), false);
    }

    /** Whether a pod may still use its claims. The cache may not have a new pod yet, so the API server is asked. */
    private boolean isNeeded(ObjectKey key, String uid) {
        if (deletedPods.contains(uid)) {
            return false;
        }
        V1Pod pod = pods.get(key);
        if (pod != null) {
            return uid.equals(pod.getMetadata().getUid()) && !PodClaims.isDone(pod);
        }
        return livePods.find(key).filter(live -> uid.equals(live.getMetadata().getUid())).isPresent();
    }

    /** The names of the claims that a pod names, and of those that were made for it. */
    private Stream<String> claimsOf(V1Pod pod) {
        Stream<String> made = claims.getIndexer().byIndex(CLAIMS_OF_POD, String.valueOf(pod.getMetadata().getUid()))
                .stream().map(claim -> String.valueOf(claim.getMetadata().getName()));
        return Stream.of(PodClaims.names(pod).stream(), PodClaims.ofExtendedResources(pod), made)
                .flatMap(names -> names).distinct();
    }

    private Stream<Key> claimKeys(V1Pod pod) {
        return claimsOf(pod).map(name -> new Key.OfClaim(
                ObjectKey.of(String.valueOf(pod.getMetadata().getNamespace()), name)));
    }

    private Stream<Key> podsBy(String index, ObjectKey named) {
        return pods.getIndexer().byIndex(index, named.toString()).stream().flatMap(this::keys);
    }

    /** The claims of a pod that needs them no more, and the pod if it needs a claim or an Event. */
    private Stream<Key> keys(V1Pod pod) {
        Stream<Key> ended = PodClaims.isDone(pod) ? claimKeys(pod) : Stream.empty();
        if (PodClaims.of(pod).isEmpty() || Pods.isDeleting(pod)) {
            return ended;
        }
        PodView view = view(pod);
        return PodDecisions.decide(view) == null && PodDecisions.problem(view) == null
                ? ended
                : Stream.concat(ended, Stream.of(new Key.OfPod(ObjectKey.of(pod))));
    }

    private Stream<Key> keysOfDeleted(V1Pod pod) {
        List<Key> keys = new ArrayList<>(claimKeys(pod).toList());
        if (!keys.isEmpty()) {
            deletedPods.add(String.valueOf(pod.getMetadata().getUid()));
        }
        if (!PodClaims.of(pod).isEmpty()) {
            keys.add(new Key.OfPod(ObjectKey.of(pod)));
        }
        return keys.stream();
    }
}
