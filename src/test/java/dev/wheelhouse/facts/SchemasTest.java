package dev.wheelhouse.facts;

import java.util.Objects;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.facts.TypeSchema.Field;
import dev.wheelhouse.facts.TypeSchema.Shape;

import static org.assertj.core.api.Assertions.assertThat;

class SchemasTest {
    @Test
    void findsATypeByItsKind() {
        TypeSchema deployment = Schemas.ofKind("apps/v1", "Deployment");
        TypeSchema pod = Schemas.ofKind("v1", "Pod");

        assertThat(deployment).isNotNull();
        assertThat(deployment.name()).isEqualTo("io.k8s.api.apps.v1.Deployment");
        assertThat(deployment.fields()).containsOnlyKeys("apiVersion", "kind", "metadata", "spec", "status");
        assertThat(deployment.kinds()).containsExactly("apps/v1 Deployment");
        assertThat(pod).isNotNull();
        assertThat(Schemas.ofKind("apps/v1", "Pod")).isNull();
    }

    @Test
    void tellsHowListsMergeAndWhoseKeysIdentifyTheirElements() {
        Field ports = field("io.k8s.api.core.v1.ServiceSpec", "ports");
        Field volumes = field("io.k8s.api.core.v1.PodSpec", "volumes");

        assertThat(ports.shape()).isEqualTo(Shape.LIST);
        assertThat(ports.listType()).isEqualTo("map");
        assertThat(ports.listMapKeys()).containsExactly("port", "protocol");
        assertThat(ports.patchMergeKey()).isEqualTo("port");
        assertThat(volumes.patchStrategies()).containsExactly("merge", "retainKeys");
    }

    @Test
    void tellsPrimitivesTheirFormatsAndTheScalarsThatLookLikeObjects() {
        assertThat(field("io.k8s.api.apps.v1.DeploymentSpec", "replicas").format()).isEqualTo("int32");
        assertThat(field("io.k8s.api.apps.v1.RollingUpdateDeployment", "maxSurge").type().scalar())
                .isEqualTo("int-or-string");
        assertThat(field("io.k8s.api.core.v1.ResourceRequirements", "limits").type().scalar()).isEqualTo("quantity");
        assertThat(field("io.k8s.api.core.v1.ResourceRequirements", "limits").shape()).isEqualTo(Shape.MAP);
        assertThat(field("io.k8s.api.coordination.v1.LeaseSpec", "renewTime").type().scalar()).isEqualTo("micro-time");
        assertThat(field("io.k8s.api.apps.v1.ControllerRevision", "data").type().scalar()).isEqualTo("raw-object");
        assertThat(field("io.k8s.api.core.v1.Secret", "data").format()).isEqualTo("byte");
        assertThat(field("io.k8s.api.authentication.v1.UserInfo", "extra").shape()).isEqualTo(Shape.MAP_OF_LISTS);
    }

    @Test
    void everyFieldsTypeIsDefined() {
        assertThat(Schemas.all()).hasSizeGreaterThan(700).allSatisfy(
                type -> assertThat(type.fields().values()).allSatisfy(f -> assertThat(f.type()).isNotNull()));
    }

    private static Field field(String type, String name) {
        return Objects.requireNonNull(Objects.requireNonNull(Schemas.ofName(type)).field(name));
    }
}
