package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.RbacV1Subject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.openapi.models.V1RoleRef;
import io.kubernetes.client.util.ClientBuilder;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.auth.AuthorizationMode;
import dev.wheelhouse.apiserver.auth.Security;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.testing.Eventually;
import dev.wheelhouse.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/** An operator whose namespaces come and go, on an API server that grants the generated rights and nothing else. */
@Isolated
@Timeout(300)
class ChosenNamespacesRightsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Scripted operator = new Scripted(setup -> setup.name("sites").owns(V1ConfigMap.class)
            .namespaces(LabelSelector.parse("tenant=yes")));
    private final TestServer server = TestServer.start(ApiServerOptions.defaults().withSecurity(
            Security.of(AuthorizationMode.RBAC, Map.of("a-token", new User("system:serviceaccount:operators:sites", "",
                    List.of("system:serviceaccounts", "system:authenticated"), Map.of())), ServerKeys.inMemory())),
            false, 0);
    private final KubeClient admin = server.client();

    @SuppressWarnings("unchecked")
    private <T extends KubernetesObject> void create(T object) {
        admin.resource(ResourceTypes.of(object.getClass()), (Class<T>) object.getClass()).create(object);
    }

    private void site(String name) {
        Site site = new Site();
        site.setApiVersion("example.com/v1");
        site.setKind("Site");
        site.setMetadata(new V1ObjectMeta().namespace(name).name("blog"));
        site.setSpec(new Site.Spec("a", 1, null));
        create(site);
    }

    private void bind(String namespace) {
        create(new V1RoleBinding().metadata(new V1ObjectMeta().namespace(namespace).name("sites"))
                .roleRef(new V1RoleRef().apiGroup("rbac.authorization.k8s.io").kind("ClusterRole")
                        .name("sites-namespaces"))
                .addSubjectsItem(new RbacV1Subject().kind("ServiceAccount").namespace("operators").name("sites")));
    }

    private boolean isWritten(String namespace) {
        return admin.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).find(ObjectKey.of(namespace, "of-blog"))
                .isPresent();
    }

    @Test
    void manyNamespacesNeedFewThreads() throws Exception {
        List<String> names = IntStream.range(0, 50).mapToObj(i -> "tenant-" + i).toList();
        Scripted many = new Scripted(setup -> setup.name("many")
                .owns(V1ConfigMap.class).namespaces(() -> names).crd(CrdPolicy.INSTALL));
        try (server; Wheelhouse wheelhouse = Wheelhouse.builder().client(server.apiClient()).operator(many).start()) {
            names.forEach(name -> create(new V1Namespace().metadata(new V1ObjectMeta().name(name))));
            Eventually.eventually("all are open", PATIENCE, wheelhouse::isReady);
            assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
                    .filteredOn(name -> name.startsWith("wheelhouse/handlers ")).isEmpty();
            site("tenant-7");
            Eventually.eventually("it is reconciled", PATIENCE, () -> !many.takeCalls().isEmpty());
        }
    }

    @Test
    void itNeedsRightsInItsNamespacesOnlyAndWorksWhereItHasThem() throws Exception {
        operator.does((request, context) -> context.apply(new V1ConfigMap().metadata(new V1ObjectMeta()
                .name("of-blog"))));
        try (server) {
            create(new V1Namespace().metadata(new V1ObjectMeta().name("operators")));
            Manifests.of(operator).namespace("operators").name("sites").objects().forEach(this::create);
            for (String name : List.of("red", "blue")) {
                create(new V1Namespace().metadata(new V1ObjectMeta().name(name).putLabelsItem("tenant", "yes")));
                Eventually.eventually("the definition is served", PATIENCE, () -> {
                    site(name);
                    return true;
                });
            }
            bind("red");
            ApiClient api = new ClientBuilder().setBasePath(server.url()).setVerifyingSsl(false).build();
            api.setApiKeyPrefix("Bearer");
            api.setApiKey("a-token");
            try (Wheelhouse wheelhouse = Wheelhouse.builder().client(api).operator(operator).start()) {
                Eventually.eventually("red is worked on", PATIENCE, () -> isWritten("red"));
                Eventually.eventually("it is ready", PATIENCE, wheelhouse::isReady);
                assertThat(isWritten("blue")).as("it has no rights there").isFalse();
                bind("blue");
                Eventually.eventually("blue is worked on", PATIENCE, () -> isWritten("blue"));
            }
        }
    }
}
