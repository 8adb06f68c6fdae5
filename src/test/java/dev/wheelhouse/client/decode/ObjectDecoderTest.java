package dev.wheelhouse.client.decode;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.kubernetes.client.openapi.models.V1SubjectAccessReview;
import io.kubernetes.client.openapi.models.V1SubjectAccessReviewStatus;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;

import static org.assertj.core.api.Assertions.assertThat;

class ObjectDecoderTest {
    private static final ResourceType REVIEWS = new ResourceType("authorization.k8s.io", "v1", "subjectaccessreviews",
            "SubjectAccessReview", false);
    private static final ObjectDecoder<V1SubjectAccessReview> DECODER = ObjectDecoder.of(REVIEWS,
            V1SubjectAccessReview.class, new DecoderMemory());
    private static final V1SubjectAccessReview REVIEW = new V1SubjectAccessReview()
            .apiVersion("authorization.k8s.io/v1").kind("SubjectAccessReview")
            .status(new V1SubjectAccessReviewStatus().allowed(true));

    static Stream<byte[]> answers() {
        return Stream.of(ModelJson.writeBytes(REVIEW), DECODER.write(REVIEW));
    }

    @ParameterizedTest
    @MethodSource("answers")
    void theAnswerToAReviewNeedsNoName(byte[] answer) {
        assertThat(DECODER.readAnswer("create", answer).getStatus().getAllowed()).isTrue();
    }

    @Test
    void anObjectOfACollectionNeedsOne() {
        byte[] bytes = ModelJson.writeBytes(REVIEW);
        List<Object> failures = new ArrayList<>();
        assertThat(DECODER.decode(bytes, 0, bytes.length, failures::add)).isNull();
        assertThat(failures).singleElement().asString().contains("metadata.name");
    }
}
