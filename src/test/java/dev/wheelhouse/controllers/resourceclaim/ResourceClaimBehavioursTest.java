package dev.wheelhouse.controllers.resourceclaim;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("The controller of ResourceClaims")
class ResourceClaimBehavioursTest {
    @ParameterizedTest
    @CsvSource({"web, gpu, web-gpu-",
            "a-pod-with-quite-a-long-name-that-leaves-little-room-for, a-claim-with-a-long-name-too-that-is-shortened, "
                    + "a-pod-with-quite-a-long-name-t-a-claim-with-a-long-name-"})
    void longNamesAreShortenedInProportion(String pod, String claim, String prefix) {
        assertThat(PodDecisions.prefix(pod, claim)).isEqualTo(prefix);
    }
}
