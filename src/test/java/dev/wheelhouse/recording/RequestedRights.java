package dev.wheelhouse.recording;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Parallel;
import dev.wheelhouse.controllers.resourceclaim.ResourceClaimController;
import dev.wheelhouse.informer.CachedCollection;
import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.informer.NamespaceSet;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.testing.InterceptedClient;
import dev.wheelhouse.testing.Interceptor;
import dev.wheelhouse.testing.WriteRequest;

/**
 * The rights that the requests of each controller need, as RBAC names them: {@code VERB GROUP/RESOURCE[/SUBRESOURCE]}.
 * The admission plugin OwnerReferencesPermissionEnforcement asks for further rights: {@code update} on the
 * {@code finalizers} of an owner whose deletion a new reference blocks, and {@code delete} on an object whose
 * references change (upstream: {@code plugin/pkg/admission/gc/gc_admission.go}). Approvals and signatures of
 * certificates need a right to the signer, allocations and reservations of ResourceClaims need one to their binding,
 * and rules of a role that the writer does not have need {@code escalate}.
 */
final class RequestedRights {
    private final Map<String, Set<String>> byController = new TreeMap<>();
    private final Map<String, Set<String>> namespaces = new TreeMap<>();

    Map<String, Set<String>> byController() {
        return byController;
    }

    /** The namespaces of the objects that a controller asked for; an empty one stands for all of them. */
    Set<String> namespaces(String controller) {
        return namespaces.getOrDefault(controller, Set.of());
    }

    /** The built-in controllers, with contexts that note their requests here. */
    List<ControllerDescriptor> controllers() {
        return BuiltInControllers.all().stream()
                .map(each -> new ControllerDescriptor(each.name(), each.aliases(), each.origin(), each.requires(),
                        each.plans(), context -> each.factory().apply(noted(each.name(), context))))
                .toList();
    }

    private ControllerContext noted(String controller, ControllerContext context) {
        Notes notes = new Notes(byController.computeIfAbsent(controller, name -> new TreeSet<>()),
                namespaces.computeIfAbsent(controller, name -> new TreeSet<>()), context.client());
        return new ControllerContext(new InterceptedClient(context.client(), notes),
                new NotedInformers(context.informers(), notes), context.clock(), context::events,
                new ControllerContext.Settings((name, preset) -> 1, Parallel.inOrder(), name -> false, name -> true,
                        ControllerMetrics.NONE, context.options(), Journal.NONE));
    }

    /** Notes the requests of one controller. */
    private record Notes(Set<String> rights, Set<String> namespaces, KubeClient client) implements Interceptor {
        private void note(String verb, ResourceType type, String subresource) {
            rights.add(verb + " " + type.group() + "/" + type.plural()
                    + (subresource.isEmpty() ? "" : "/" + subresource));
        }

        void cached(ResourceType type, Set<String> in) {
            namespaces.addAll(in);
            note("list", type, "");
            note("watch", type, "");
        }

        @Override
        public <R> R write(WriteRequest request, Supplier<R> call) {
            namespaces.add(request.key().namespace());
            note(request.verb().equals("apply") ? "patch" : request.verb(), request.type(), request.subresource());
            noteAdmission(request.type().groupResource() + "/" + request.subresource());
            if (request.verb().startsWith("delete") || !request.subresource().isEmpty()) {
                return call.get();
            }
            List<V1OwnerReference> before = request.verb().equals("create") ? List.of() : owners(request);
            R result = call.get();
            List<V1OwnerReference> after = owners((KubernetesObject) result);
            if (!request.verb().equals("create") && !after.equals(before)) {
                note("delete", request.type(), "");
            }
            after.stream().filter(owner -> Boolean.TRUE.equals(owner.getBlockOwnerDeletion())
                    && !before.contains(owner)).forEach(this::noteOwner);
            return result;
        }

        /** Notes the rights that the API server asks for besides the one to write. */
        private void noteAdmission(String written) {
            switch (written) {
                case "certificatesigningrequests.certificates.k8s.io/approval" ->
                    rights.add("approve certificates.k8s.io/signers");
                case "certificatesigningrequests.certificates.k8s.io/status" ->
                    rights.add("sign certificates.k8s.io/signers");
                case "resourceclaims.resource.k8s.io/status" ->
                    note("update", ResourceClaimController.CLAIMS, "binding");
                case "clusterroles.rbac.authorization.k8s.io/" ->
                    rights.add("escalate rbac.authorization.k8s.io/clusterroles");
                default -> {
                }
            }
        }

        private List<V1OwnerReference> owners(WriteRequest request) {
            try {
                return owners(client.metadata(request.type()).get(request.key()));
            } catch (KubeApiException e) {
                return List.of();
            }
        }

        private static List<V1OwnerReference> owners(KubernetesObject object) {
            // A review has no metadata.
            List<V1OwnerReference> owners = object.getMetadata() == null
                    ? null
                    : object.getMetadata().getOwnerReferences();
            return owners == null ? List.of() : owners;
        }

        private void noteOwner(V1OwnerReference owner) {
            ResourceType type = Kinds.type(owner.getApiVersion(), owner.getKind());
            note("update", type, "finalizers");
        }

        @Override
        public <R> R get(ResourceType type, ObjectKey key, Supplier<R> call) {
            note("get", type, "");
            return call.get();
        }

        @Override
        public <R> R getSubresource(ResourceType type, ObjectKey key, String subresource, Supplier<R> call) {
            note("get", type, subresource);
            return call.get();
        }

        @Override
        public <T> ListPage<T> list(ResourceType type, String scope, ListOptions options,
                Supplier<ListPage<T>> call) {
            note("list", type, "");
            return call.get();
        }

        @Override
        public <T> WatchStream<T> watch(ResourceType type, WatchOptions options, Supplier<WatchStream<T>> call) {
            note("watch", type, "");
            return call.get();
        }

        /** Paths are {@code /apis/GROUP/VERSION/namespaces/NAMESPACE/RESOURCE[/NAME[/SUBRESOURCE]]}, or discovery. */
        @Override
        public JsonNode read(String path, Map<String, String> query, Supplier<JsonNode> call) {
            String[] parts = path.split("/", -1);
            if (parts.length > 6) {
                rights.add((parts.length > 7 ? "get " : "list ") + parts[2] + "/" + parts[6]
                        + (parts.length > 8 ? "/" + parts[8] : ""));
            }
            return call.get();
        }
    }

    /** Informers are lists and watches of the controllers that ask for them, although controllers share them. */
    private record NotedInformers(SharedInformerFactory behind, Notes notes) implements SharedInformerFactory {
        @Override
        public <T extends KubernetesObject> SharedIndexInformer<T> informer(CachedCollection<T> wanted) {
            notes.cached(wanted.type(), Set.of(wanted.namespace()));
            return behind.informer(wanted);
        }

        @Override
        public <T extends KubernetesObject> SharedIndexInformer<T> informer(CachedCollection<T> wanted,
                NamespaceSet namespaces) {
            notes.cached(wanted.type(), namespaces.open().keySet());
            return behind.informer(wanted, namespaces);
        }

        @Override
        public SharedIndexInformer<? extends KubernetesObject> metadataOrMore(ResourceType type) {
            notes.cached(type, Set.of(""));
            return behind.metadataOrMore(type);
        }

        @Override
        public List<SharedIndexInformer<?>> informers() {
            return behind.informers();
        }

        @Override
        public void startNew() {
            behind.startNew();
        }

        @Override
        public void stop(SharedIndexInformer<?> informer) {
            behind.stop(informer);
        }

        @Override
        public boolean hasSynced() {
            return behind.hasSynced();
        }

        @Override
        public List<InformerState> states() {
            return behind.states();
        }
    }
}
