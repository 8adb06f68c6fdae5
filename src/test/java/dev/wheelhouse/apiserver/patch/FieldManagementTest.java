package dev.wheelhouse.apiserver.patch;

import java.time.Instant;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.patch.FieldManagement.ConflictException;
import dev.wheelhouse.apiserver.patch.Patches.PatchException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class FieldManagementTest {
    private static final Instant T1 = Instant.parse("2026-01-01T00:00:01.5Z");
    private static final Instant T2 = Instant.parse("2026-01-01T00:00:02Z");
    private static final Instant T3 = Instant.parse("2026-01-01T00:00:03Z");

    @Test
    void anUpdateTakesWhatItChangesAndLeavesTheRest() {
        ObjectNode live = FieldManagement.updated(null, map("{'a': '1', 'b': '2'}"), "one", "", T1);

        ObjectNode changed = FieldManagement.updated(live, with(live, "{'data': {'b': '3', 'c': '4'}}"), "two", "", T2);

        assertThat(fields(changed, "one")).isEqualTo(json("{'f:data': {'.': {}, 'f:a': {}}}"));
        assertThat(fields(changed, "two")).isEqualTo(json("{'f:data': {'f:b': {}, 'f:c': {}}}"));
        assertThat(entry(changed, "one").get("time").stringValue()).isEqualTo("2026-01-01T00:00:01Z");
        assertThat(entry(changed, "two").get("time").stringValue()).isEqualTo("2026-01-01T00:00:02Z");
    }

    @Test
    void anUpdateWithoutAChangeLeavesTheTimes() {
        ObjectNode live = FieldManagement.updated(null, map("{'a': '1'}"), "one", "", T1);

        assertThat(FieldManagement.updated(live, live, "one", "", T2)).isEqualTo(live);
        assertThat(FieldManagement.updated(live, live, "two", "", T2)).isEqualTo(live);
    }

    @Test
    void aRemovedFieldHasNoOwnerAndAnOwnerOfNothingIsForgotten() {
        ObjectNode live = FieldManagement.updated(null, map("{'a': '1'}"), "one", "", T1);
        live = FieldManagement.updated(live, with(live, "{'data': {'b': '2'}}"), "two", "", T2);

        ObjectNode removed = FieldManagement.updated(live, with(live, "{'data': {'b': null}}"), "one", "", T3);

        assertThat(entry(removed, "two").isMissingNode()).isTrue();
        assertThat(fields(removed, "one")).isEqualTo(json("{'f:data': {'.': {}, 'f:a': {}}}"));
        assertThat(entry(removed, "one").get("time").stringValue()).isEqualTo("2026-01-01T00:00:01Z");
    }

    @Test
    void anObjectThatBecomesAScalarLosesTheOwnersOfItsFieldsAndTheOtherWayRound() {
        ObjectNode live = FieldManagement.updated(null, object("""
                {'apiVersion': 'example.com/v1', 'kind': 'Any', 'metadata': {'name': 'a'},
                 'spec': {'any': {'a': 1, 'b': {'c': 2}}}}"""), "one", "", T1);

        ObjectNode scalar = FieldManagement.updated(live, with(live, "{'spec': {'any': 'x'}}"), "two", "", T2);
        ObjectNode again = FieldManagement.updated(scalar, with(scalar, "{'spec': {'any': {'d': 1}}}"), "one", "", T3);

        assertThat(fields(scalar, "one")).isEqualTo(json("{'f:spec': {}}"));
        assertThat(fields(scalar, "two")).isEqualTo(json("{'f:spec': {'f:any': {}}}"));
        assertThat(fields(again, "one")).isEqualTo(json("{'f:spec': {'.': {}, 'f:any': {'.': {}, 'f:d': {}}}}"));
        assertThat(entry(again, "two").isMissingNode()).isTrue();
    }

    @Test
    void subresourcesAreManagersOfTheirOwnAndStatusIsTrackedOnlyThere() {
        ObjectNode live = FieldManagement.updated(null, object("""
                {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'p'},
                 'spec': {'containers': [{'name': 'a', 'image': 'i'}]}, 'status': {'phase': 'Pending'}}"""), "m", "",
                T1);

        ObjectNode running = FieldManagement.updated(live, with(live, "{'status': {'phase': 'Running'}}"), "m",
                "status",
                T2);

        assertThat(fields(live, "m")).isEqualTo(json("""
                {'f:spec': {'f:containers': {'k:{\\'name\\':\\'a\\'}': {'.': {}, 'f:image': {}, 'f:name': {}}}}}"""));
        assertThat(entry(running, "m status").get("fieldsV1")).isEqualTo(json("{'f:status': {'f:phase': {}}}"));
        assertThat(fields(running, "m")).isEqualTo(fields(live, "m"));
    }

    @Test
    void clientsMaySendManagedFieldsOrResetThem() {
        ObjectNode live = FieldManagement.updated(null, map("{'a': '1'}"), "one", "", T1);
        ObjectNode reset = live.deepCopy();
        Json.child(reset, "metadata").putArray("managedFields");
        ObjectNode without = with(live, "{'metadata': {'managedFields': null}}");
        ObjectNode garbage = with(live, "{'metadata': {'managedFields': [{'manager': 'x', 'operation': 'Steal'}]}}");

        assertThat(FieldManagement.updated(live, reset, "two", "", T2).path("metadata").has("managedFields")).isFalse();
        assertThat(FieldManagement.updated(live, without, "two", "", T2)).isEqualTo(live);
        assertThat(FieldManagement.updated(live, garbage, "two", "", T2)).isEqualTo(live);
    }

    @Test
    void anObjectWithoutManagedFieldsGetsNoneByAnUpdate() {
        ObjectNode live = map("{'a': '1'}");

        assertThat(FieldManagement.updated(live, with(live, "{'data': {'a': '2'}}"), "one", "", T1).path("metadata")
                .has("managedFields")).isFalse();
    }

    @Test
    void theOldestOfManyUpdatersAreMerged() {
        ObjectNode live = FieldManagement.updated(null, map("{'k0': 'x'}"), "m0", "", T1);
        for (int i = 1; i < 14; i++) {
            live = FieldManagement.updated(live, with(live, "{'data': {'k" + i + "': 'x'}}"), "m" + i, "",
                    T1.plusSeconds(i));
        }

        assertThat(live.at("/metadata/managedFields")).hasSize(10);
        assertThat(fields(live, "ancient-changes")).isEqualTo(
                json("{'f:data': {'.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {}, 'f:k3': {}, 'f:k4': {}}}"));
    }

    @Test
    void appliesListsByKeyInTheOrderOfTheConfiguration() {
        ObjectNode live = deployment(
                "[{'name': 'a', 'image': '1'}, {'name': 'x', 'image': 'x'}, {'name': 'b', 'image': '2'}]");
        live = FieldManagement.updated(null, live, "other", "", T1);

        ObjectNode result = FieldManagement.apply(live,
                deployment("[{'name': 'n', 'image': '3'}, {'name': 'b', 'image': '2'}, {'name': 'a', 'image': '1'}]"),
                "me",
                false, "", T2);

        assertThat(result.at("/spec/template/spec/containers").findValuesAsString("name")).containsExactly("x", "n",
                "b", "a");
    }

    @Test
    void appliedPortsAreKeyedByNumberAndProtocolWithTheDefault() {
        ObjectNode result = FieldManagement.apply(null, deployment("[{'name': 'a', 'ports': [{'containerPort': 80}]}]"),
                "me", false, "", T1);

        assertThat(fields(result, "me").at("/f:spec/f:template/f:spec/f:containers").toString())
                .contains("k:{\\\"containerPort\\\":80,\\\"protocol\\\":\\\"TCP\\\"}");
    }

    @Test
    void whatAManagerGivesUpGoesUnlessSomeoneElseOwnsIt() {
        ObjectNode live = apply(null, map("{'a': '1', 'b': '2', 'c': '3'}"), "one", false);
        live = apply(live, map("{'b': '2'}"), "two", false);
        live = FieldManagement.updated(live, with(live, "{'data': {'c': '4'}}"), "three", "", T2);

        ObjectNode result = apply(live, map("{}"), "one", true);

        assertThat(result.get("data")).isEqualTo(json("{'b': '2', 'c': '4'}"));
        assertThat(fields(result, "two")).isEqualTo(json("{'f:data': {'f:b': {}}}"));
    }

    @Test
    void aListElementStaysWithoutItsFieldsIfAnotherManagerOwnsThem() {
        ObjectNode live = apply(null,
                deployment("[{'name': 'a', 'image': '1', 'tty': true}, {'name': 'b', 'image': '1'}]"),
                "one", false);
        live = apply(live, deployment("[{'name': 'a', 'workingDir': '/'}]"), "two", false);

        ObjectNode result = apply(live, deployment("[]"), "one", false);

        assertThat(result.at("/spec/template/spec/containers")).isEqualTo(json("[{'name': 'a', 'workingDir': '/'}]"));
    }

    @Test
    void setsAreOwnedByValue() {
        ObjectNode live = apply(null, map("{}", "'finalizers': ['x/a', 'x/b']"), "one", false);
        live = apply(live, map("{}", "'finalizers': ['x/c']"), "two", false);

        ObjectNode result = apply(live, map("{}", "'finalizers': ['x/b']"), "one", false);

        assertThat(result.at("/metadata/finalizers")).isEqualTo(json("['x/b', 'x/c']"));
        assertThat(fields(result, "one")).isEqualTo(
                json("{'f:data': {}, 'f:metadata': {'f:finalizers': {'v:\\'x/b\\'': {}}}}"));
    }

    @Test
    void severalConflictsAreToldByManager() {
        ObjectNode live = apply(null, map("{'a': '1', 'b': '1'}"), "one", false);
        live = FieldManagement.updated(live, with(live, "{'data': {'c': '1'}}"), "kubectl-edit", "", T1);
        ObjectNode before = live;

        assertThatThrownBy(() -> apply(before, map("{'a': '2', 'b': '2', 'c': '2'}"), "two", false))
                .isInstanceOfSatisfying(ConflictException.class, e -> assertThat(e.conflicts()).hasSize(3))
                .hasMessage("""
                        Apply failed with 3 conflicts: conflicts with "kubectl-edit" using v1:
                        - .data.c
                        conflicts with "one":
                        - .data.a
                        - .data.b""");
    }

    @Test
    void kubectlTakesOverFromItsClientSideApply() {
        ObjectNode live = map("{'a': '1'}");
        Json.child(Json.child(live, "metadata"), "annotations").put("kubectl.kubernetes.io/last-applied-configuration",
                map("{'a': '1'}").toString());
        live = FieldManagement.updated(null, live, "kubectl-client-side-apply", "", T1);
        ObjectNode before = live;

        ObjectNode result = apply(before, map("{'a': '2'}"), "kubectl", false);

        assertThat(result.at("/data/a").stringValue()).isEqualTo("2");
        assertThat(result.at("/metadata/annotations").toString()).contains("\\\"a\\\":\\\"2\\\"");
        assertThatThrownBy(() -> apply(before, map("{'a': '2'}"), "flux", false))
                .hasMessage(
                        "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using v1: .data.a");
    }

    @Test
    void theFieldsOfAnObjectThatNobodyOwnedBelongToWhoCameBefore() {
        ObjectNode result = apply(map("{'a': '1', 'b': '2'}"), map("{'a': '1'}"), "me", false);

        assertThat(fields(result, "before-first-apply")).isEqualTo(json("{'f:data': {'.': {}, 'f:a': {}, 'f:b': {}}}"));
        assertThat(fields(result, "me")).isEqualTo(json("{'f:data': {'f:a': {}}}"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'spec': {'foo': 1}} | .spec.foo: field not declared in schema
            {'spec': {'template': {'spec': {'containers': [{'name': 'a'}, {'name': 'a'}]}}}} \
                | .spec.template.spec.containers: duplicate entries for key [name="a"]
            {'spec': {'template': 1}} | .spec.template: expected map, got &{1}
            """)
    void refusesAConfigurationThatDoesNotFitItsType(String config, String problem) {
        ObjectNode patch = object(config);
        patch.put("apiVersion", "apps/v1").put("kind", "Deployment").putObject("metadata").put("name", "d");

        assertThatThrownBy(() -> apply(null, patch, "me", false)).isInstanceOf(PatchException.class)
                .hasMessage("failed to create typed patch object (/d; apps/v1, Kind=Deployment): " + problem);
    }

    @Test
    void customObjectsAreOwnedByFieldsAndTheirListsAsAWhole() {
        String json = """
                {'apiVersion': 'example.com/v1', 'kind': 'Thing', 'metadata': {'name': 't', 'labels': {'a': 'b'}},
                 'spec': {'list': [{'name': 'x'}], 'map': {'k': 1}}}""";

        assertThat(fields(apply(null, object(json), "me", false), "me")).isEqualTo(json(
                "{'f:metadata': {'f:labels': {'f:a': {}}}, 'f:spec': {'.': {}, 'f:list': {}, 'f:map': {'.': {}, "
                        + "'f:k': {}}}}"));
    }

    @Test
    void changesNoneOfItsArguments() {
        ObjectNode live = apply(null, map("{'a': '1'}"), "one", false);
        ObjectNode patch = map("{'b': '1'}");
        ObjectNode liveBefore = live.deepCopy();
        ObjectNode patchBefore = patch.deepCopy();

        ObjectNode result = apply(live, patch, "two", false);
        Json.child(result, "data").put("a", "changed");

        assertThat(live).isEqualTo(liveBefore);
        assertThat(patch).isEqualTo(patchBefore);
    }

    private static ObjectNode apply(@Nullable ObjectNode live, ObjectNode patch, String manager, boolean force) {
        return FieldManagement.apply(live, patch, manager, force, "", T1);
    }

    private static ObjectNode with(ObjectNode object, String mergePatch) {
        return Patches.merge(object, json(mergePatch));
    }

    private static ObjectNode map(String data) {
        return map(data, "'labels': {}");
    }

    private static ObjectNode map(String data, String metadata) {
        ObjectNode map = object("{'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'm', " + metadata
                + "}, 'data': " + data + "}");
        Json.child(map, "metadata").propertyNames().removeIf(name -> map.get("metadata").get(name).isEmpty()
                && map.get("metadata").get(name).isObject());
        return map;
    }

    private static ObjectNode deployment(String containers) {
        return object("{'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'd'},"
                + " 'spec': {'template': {'spec': {'containers': " + containers + "}}}}");
    }

    /** @param manager with the subresource, if there is one: {@code m status} */
    private static JsonNode entry(ObjectNode object, String manager) {
        for (JsonNode entry : object.at("/metadata/managedFields")) {
            String name = Json.text(entry, "manager")
                    + (entry.has("subresource") ? " " + Json.text(entry, "subresource") : "");
            if (name.equals(manager)) {
                return entry;
            }
        }
        return object.path("there is no such entry");
    }

    private static JsonNode fields(ObjectNode object, String manager) {
        return entry(object, manager).path("fieldsV1");
    }

    private static ObjectNode object(String text) {
        return (ObjectNode) json(text);
    }

    private static JsonNode json(String text) {
        return Json.read(text.replace('\'', '"'));
    }
}
