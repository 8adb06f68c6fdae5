package dev.wheelhouse.apiserver.auth;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.apiserver.json.Json;

import static org.assertj.core.api.Assertions.assertThat;

/** The requests that a rule allows, and the rights that one rule covers of another. */
class PolicyRuleTest {
    private static List<PolicyRule> rules(String json) {
        return PolicyRule.of(Json.read(json));
    }

    @ParameterizedTest(name = "{0}: {1} {2}/{3} {4}")
    @CsvSource(textBlock = """
            '{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}',get,pods,'',x,true
            '{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}',list,pods,'','',false
            '{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}',get,pods,log,x,false
            '{"verbs":["get"],"apiGroups":["apps"],"resources":["pods"]}',get,pods,'',x,false
            '{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}',anything,pods,log,x,true
            '{"verbs":["get"],"apiGroups":[""],"resources":["*/log"]}',get,pods,log,x,true
            '{"verbs":["get"],"apiGroups":[""],"resources":["*/log"]}',get,pods,'',x,false
            '{"verbs":["get"],"apiGroups":[""],"resources":["pods/*"]}',get,pods,log,x,false
            '{"verbs":["get"],"apiGroups":[""],"resources":["pods"],"resourceNames":["x"]}',get,pods,'',x,true
            '{"verbs":["get"],"apiGroups":[""],"resources":["pods"],"resourceNames":["x"]}',get,pods,'',y,false
            '{"verbs":["list"],"apiGroups":[""],"resources":["pods"],"resourceNames":["x"]}',list,pods,'','',false
            '{"verbs":["get"],"apiGroups":[""],"resources":[]}',get,pods,'',x,false
            '{"verbs":["get"],"nonResourceURLs":["*"]}',get,pods,'',x,false
            '{"verbs":"get","apiGroups":7}',get,pods,'',x,false
            """)
    void aRuleAllowsWhatItNames(String rule, String verb, String resource, String subresource, String name,
            boolean allowed) {
        assertThat(rules("[" + rule + "]").getFirst()
                .allows(RequestInfo.ofResource(verb, "", resource, subresource, "n", name))).isEqualTo(allowed);
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"/healthz,/healthz,true", "/healthz,/healthz/,false", "/healthz/*,/healthz/ping,true",
            "/healthz/*,/healthz,false", "*,/anything,true", "/heal*,/healthz,true", "/,/api,false"})
    void aRuleOfPathsAllowsThemAndWhatTheirStarStandsFor(String url, String path, boolean allowed) {
        assertThat(rules("[{\"verbs\":[\"get\"],\"nonResourceURLs\":[\"" + url + "\"]}]").getFirst()
                .allows(RequestInfo.ofPath("get", path))).isEqualTo(allowed);
    }

    @Test
    void whatIsMissingIsToldByThingWithItsVerbs() {
        List<PolicyRule> held = rules("""
                [{"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods", "*/status"]},
                 {"verbs": ["get"], "apiGroups": [""], "resources": ["secrets"], "resourceNames": ["mine"]},
                 {"verbs": ["get"], "nonResourceURLs": ["/healthz/*"]}]""");
        List<PolicyRule> wanted = rules("""
                [{"verbs": ["get", "list", "delete"], "apiGroups": [""], "resources": ["pods", "nodes/status"]},
                 {"verbs": ["get"], "apiGroups": [""], "resources": ["secrets"], "resourceNames": ["mine", "yours"]},
                 {"verbs": ["get", "post"], "nonResourceURLs": ["/healthz/ping", "/metrics"]},
                 {"verbs": ["get"], "apiGroups": [""], "resources": ["secrets"]}]""");

        assertThat(Escalation.missing(held, wanted)).extracting(PolicyRule::toString).containsExactly(
                "{APIGroups:[\"\"], Resources:[\"nodes/status\"], Verbs:[\"delete\"]}",
                "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"delete\"]}",
                "{APIGroups:[\"\"], Resources:[\"secrets\"], ResourceNames:[\"yours\"], Verbs:[\"get\"]}",
                "{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\"]}",
                "{NonResourceURLs:[\"/healthz/ping\"], Verbs:[\"post\"]}",
                "{NonResourceURLs:[\"/metrics\"], Verbs:[\"get\"]}",
                "{NonResourceURLs:[\"/metrics\"], Verbs:[\"post\"]}");
        assertThat(Escalation.missing(PolicyRule.EVERYTHING, wanted)).isEmpty();
    }
}
