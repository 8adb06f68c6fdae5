package dev.wheelhouse.facts;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class QosClassTest {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_UNQUOTED_PROPERTY_NAMES).build();
    private static final String BOTH = "{cpu: \"1\", memory: \"1Gi\"}";

    /** B stands for a cpu and a gibibyte, C for a cpu, M for a gibibyte, 0 for none of a cpu, G for a device. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            # container               , init container          , class
            {}                        , {}                      , BestEffort
            requests: C               , {}                      , Burstable
            limits: B requests: B     , {}                      , Burstable
            limits: B requests: B     , limits: B requests: B   , Guaranteed
            limits: B requests: B     , limits: C requests: C   , Burstable
            limits: B requests: C     , limits: B requests: B   , Burstable
            limits: B                 , limits: B               , Burstable
            limits: 0 requests: 0     , {}                      , BestEffort
            limits: G requests: G     , {}                      , BestEffort
            """)
    void containersTogetherDecideAsUpstreamsDo(String container, String init, String expected) {
        assertThat(of("{containers: [{resources: %s}], initContainers: [{resources: %s}]}".formatted(
                resources(container), resources(init)))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            # pod                     , container               , class
            {}                        , limits: B requests: B   , BestEffort
            limits: B requests: B     , {}                      , Guaranteed
            limits: B requests: B     , requests: C             , Guaranteed
            limits: C requests: C     , limits: B requests: B   , Burstable
            requests: M               , {}                      , Burstable
            requests: 0               , limits: B requests: B   , BestEffort
            limits: B                 , limits: B requests: B   , Burstable
            """)
    void resourcesOfThePodDecideAlone(String pod, String container, String expected) {
        assertThat(of("{resources: %s, containers: [{resources: %s}]}".formatted(resources(pod),
                resources(container)))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"1, 1000m, Guaranteed", "1.0, 1, Guaranteed", "1, 999m, Burstable", "1, many, Burstable"})
    void amountsAreComparedByValue(String limit, String request, String expected) {
        assertThat(of("""
                {containers: [{resources: {
                  limits: {cpu: "%s", memory: "1Gi"}, requests: {cpu: "%s", memory: "1024Mi"}}}]}
                """.formatted(limit, request))).isEqualTo(expected);
    }

    private static String resources(String letters) {
        return (letters.startsWith("{") ? letters : "{" + letters.replace(" req", ", req") + "}")
                .replace(": B", ": " + BOTH).replace(": C", ": {cpu: \"1\"}").replace(": M", ": {memory: \"1Gi\"}")
                .replace(": 0", ": {cpu: \"0\"}").replace(": G", ": {\"gpu\": \"1\"}");
    }

    private static String of(String spec) {
        return QosClass.of(JSON.readTree(spec));
    }
}
