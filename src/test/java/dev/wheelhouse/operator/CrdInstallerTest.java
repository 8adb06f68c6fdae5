package dev.wheelhouse.operator;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionVersion;

import dev.wheelhouse.RealApiServer;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.client.http.KubeConfigs;
import dev.wheelhouse.operator.schema.Default;
import dev.wheelhouse.operator.schema.Required;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.testing.TestServer;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

class CrdInstallerTest {
    @ResourceDefinition(group = "example.com", version = "v1", kind = "Site")
    static final class Older extends CustomResource<Older.Spec, Void> {
        record Spec(String host, List<String> old) {}
    }

    @ResourceDefinition(group = "example.com", version = "v1", kind = "Site")
    static final class Newer extends CustomResource<Newer.Spec, Void> {
        record Tls(String secret, int days) {}

        record Spec(String host, List<String> old, @Nullable Tls tls) {}
    }

    @ResourceDefinition(group = "example.com", version = "v1", kind = "Site")
    static final class Other extends CustomResource<Other.Spec, Void> {
        record Spec(int host, boolean added) {}
    }

    @ResourceDefinition(group = "example.com", version = "v2", kind = "Site")
    static final class NextVersion extends CustomResource<NextVersion.Spec, Void> {
        record Spec(String host) {}
    }

    @ResourceDefinition(group = "example.com", version = "v1", kind = "Site")
    static final class Anything extends CustomResource<Object, Void> {}

    @ResourceDefinition(group = "example.com", version = "v1", kind = "Site", namespaced = false)
    static final class OfCluster extends CustomResource<Older.Spec, Void> {}

    @ResourceDefinition(group = "example.com", version = "v1", kind = "Place", plural = "sites")
    static final class OtherKind extends CustomResource<Older.Spec, Void> {}

    @ResourceDefinition(group = "example.com", version = "v1", kind = "Site")
    static final class Demanding extends CustomResource<Demanding.Spec, Void> {
        record Tls(@Required String issuer) {}

        record Spec(@Nullable String host, @Nullable List<String> old, @Required int size,
                @Required @Default("1") int d,
                @Nullable Tls tls) {}
    }

    abstract static class AnyOperator<P extends KubernetesObject> implements DecidingOperator<P> {
        CrdPolicy policy = CrdPolicy.INSTALL;

        @Override
        public void setup(Setup<P> setup) {
            setup.name("sites").crd(policy);
        }

        @Override
        public Decision decide(P primary, Related related, Instant now) {
            return Decision.deleteAll();
        }
    }

    private TestServer server;
    private ResourceClient<V1CustomResourceDefinition> definitions;

    @BeforeEach
    void start() {
        server = TestServer.start();
        definitions = server.client().resource(Crds.TYPE, V1CustomResourceDefinition.class);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static CrdInstaller installer(CrdPolicy policy, AnyOperator<?> operator) {
        operator.policy = policy;
        return new CrdInstaller(Declaration.of(operator));
    }

    private static CrdInstaller older(CrdPolicy policy) {
        return installer(policy, new AnyOperator<Older>() {
        });
    }

    private static CrdInstaller newer(CrdPolicy policy) {
        return installer(policy, new AnyOperator<Newer>() {
        });
    }

    private static CrdInstaller other(CrdPolicy policy) {
        return installer(policy, new AnyOperator<Other>() {
        });
    }

    private String prepare(CrdInstaller installer) {
        return installer.prepare(server.client(), true);
    }

    private V1CustomResourceDefinition stored() {
        return definitions.get(ObjectKey.cluster("sites.example.com"));
    }

    private String schema() {
        return ModelJson.write(stored().getSpec().getVersions());
    }

    @Test
    void installCreatesTheDefinitionAndUpdatesItWhenTheClassHasMore() {
        assertThat(prepare(older(CrdPolicy.INSTALL))).isEmpty();
        assertThat(schema()).doesNotContain("secret");

        assertThat(prepare(newer(CrdPolicy.INSTALL))).isEmpty();
        assertThat(schema()).contains("secret");
    }

    @Test
    void anInstallationThatChangesNothingWritesNothing() {
        prepare(newer(CrdPolicy.INSTALL));
        String version = stored().getMetadata().getResourceVersion();

        prepare(newer(CrdPolicy.INSTALL));

        assertThat(stored().getMetadata().getResourceVersion()).isEqualTo(version);
    }

    @Test
    void anOlderOperatorLeavesANewerDefinitionAsItIs() {
        prepare(newer(CrdPolicy.INSTALL));

        assertThat(prepare(older(CrdPolicy.INSTALL))).isEmpty();

        assertThat(schema()).contains("secret");
    }

    @Test
    void installRefusesAnUpdateThatLosesFields() {
        prepare(newer(CrdPolicy.INSTALL));

        assertThatThrownBy(() -> prepare(other(CrdPolicy.INSTALL))).isInstanceOf(IllegalStateException.class)
                .hasMessage("sites cannot update the definition sites.example.com, because stored objects would lose "
                        + "fields that Other lacks: v1 .spec.host (string becomes integer), v1 .spec.old, v1 .spec.tls"
                        + ". Add them to the class, or remove them from the definition by kubectl");
        assertThat(schema()).contains("secret");
    }

    @Test
    void aDefinitionOfAnotherScopeOrKindIsNamedAndLeftAsItIs() {
        prepare(older(CrdPolicy.INSTALL));

        for (CrdPolicy policy : List.of(CrdPolicy.INSTALL, CrdPolicy.CHECK)) {
            assertThatThrownBy(() -> prepare(installer(policy, new AnyOperator<OfCluster>() {
            }))).isInstanceOf(IllegalStateException.class)
                    .hasMessage("sites does not start, because the installed definition sites.example.com is of "
                            + "Namespaced objects of the kind Site, and OfCluster of Cluster objects of the kind Site. "
                            + "Correct kind and namespaced in its @ResourceDefinition, or delete the definition with "
                            + "all of its objects");
            assertThatThrownBy(() -> prepare(installer(policy, new AnyOperator<OtherKind>() {
            }))).hasMessageContaining(
                    "objects of the kind Site, and OtherKind of Namespaced objects of the kind Place");
        }
    }

    @Test
    void aFieldThatIsRequiredFromNowOnIsNamed() {
        prepare(older(CrdPolicy.INSTALL));

        assertThatThrownBy(() -> prepare(installer(CrdPolicy.INSTALL, new AnyOperator<Demanding>() {
        }))).isInstanceOf(IllegalStateException.class)
                .hasMessage("sites cannot update the definition sites.example.com, because stored objects may lack "
                        + "fields that Demanding requires now: v1 .spec.size. Give them a @Default, make them "
                        + "@Nullable or take @Required away, or apply the definition that Manifests writes by kubectl, "
                        + "once all objects have them");
    }

    @Test
    void aVersionThatTheClassLacksStaysServedAndWhatOthersSetStays() {
        prepare(older(CrdPolicy.INSTALL));
        V1CustomResourceDefinition edited = stored();
        edited.getMetadata().putAnnotationsItem("edited", "by hand");
        definitions.update(edited);

        prepare(installer(CrdPolicy.INSTALL, new AnyOperator<NextVersion>() {
        }));

        assertThat(stored().getSpec().getVersions()).extracting(V1CustomResourceDefinitionVersion::getName,
                V1CustomResourceDefinitionVersion::getStorage, V1CustomResourceDefinitionVersion::getServed)
                .containsExactlyInAnyOrder(tuple("v2", true, true),
                        tuple("v1", false, true));
        assertThat(stored().getMetadata().getAnnotations()).containsEntry("edited", "by hand");
    }

    @Test
    void installWritesNothingWhileTheProcessOnlyObserves() {
        CrdInstaller installer = older(CrdPolicy.INSTALL);

        assertThat(installer.prepare(server.client(), false)).isEqualTo("sites waits for the definition "
                + "sites.example.com");
        assertThatThrownBy(this::stored).hasMessageContaining("404");
        assertThat(prepare(installer)).isEmpty();
    }

    @Test
    void aDefinitionThatSomebodyDeletesStaysDeleted() {
        CrdInstaller installer = older(CrdPolicy.INSTALL);
        prepare(installer);
        definitions.delete(ObjectKey.cluster("sites.example.com"), Deletion.unconditional());

        assertThat(prepare(installer)).isEqualTo("sites waits for the definition sites.example.com");
    }

    @Test
    void checkNamesTheFieldsThatTheInstalledDefinitionLacks() {
        assertThat(prepare(newer(CrdPolicy.CHECK))).isEqualTo("sites waits for the definition sites.example.com");
        prepare(older(CrdPolicy.INSTALL));

        assertThatThrownBy(() -> prepare(newer(CrdPolicy.CHECK))).isInstanceOf(IllegalStateException.class)
                .hasMessage("sites does not start, because the installed definition sites.example.com lacks what "
                        + "Newer has, so that it would be lost: v1 .spec.tls. Install the definition that Manifests "
                        + "writes, or declare CrdPolicy.INSTALL");
        assertThatThrownBy(() -> prepare(installer(CrdPolicy.CHECK, new AnyOperator<NextVersion>() {
        })))
                .hasMessageContaining("it would be lost: version v2.");
        assertThat(prepare(older(CrdPolicy.CHECK))).isEmpty();
    }

    @Test
    void aDefinitionThatKeepsUnknownFieldsLosesNone() {
        prepare(installer(CrdPolicy.INSTALL, new AnyOperator<Anything>() {
        }));

        assertThat(prepare(newer(CrdPolicy.CHECK))).isEmpty();
    }

    @Test
    @Timeout(900)
    void aRealServerTakesTheSameInstallationsAndUpdates(@TempDir Path directory) throws Exception {
        Clock clock = Clock.system();
        try (RealApiServer real = RealApiServer.startOrSkip(directory);
                KubeClient client = new HttpKubeClient(new KubeConfigs(clock).fromFile(real.kubeconfig(), null).api(),
                        clock)) {
            ResourceClient<V1CustomResourceDefinition> there = client.resource(Crds.TYPE,
                    V1CustomResourceDefinition.class);
            Supplier<V1CustomResourceDefinition> read = () -> there.get(ObjectKey.cluster("sites.example.com"));
            CrdInstaller first = older(CrdPolicy.INSTALL);
            eventually("the server serves the definition", Duration.ofMinutes(2),
                    () -> first.prepare(client, true).isEmpty());
            assertThat(newer(CrdPolicy.INSTALL).prepare(client, true)).isEmpty();
            assertThat(ModelJson.write(read.get())).contains("secret");
            long generation = read.get().getMetadata().getGeneration();

            assertThat(newer(CrdPolicy.INSTALL).prepare(client, true)).isEmpty();
            assertThat(older(CrdPolicy.INSTALL).prepare(client, true)).isEmpty();
            assertThatThrownBy(() -> other(CrdPolicy.INSTALL).prepare(client, true))
                    .hasMessageContaining("v1 .spec.host (string becomes integer)");

            assertThat(read.get().getMetadata().getGeneration()).isEqualTo(generation);
            assertThat(installer(CrdPolicy.INSTALL, new AnyOperator<NextVersion>() {
            }).prepare(client, true)).isEmpty();
            assertThat(read.get().getSpec().getVersions()).hasSize(2);
        }
    }
}
