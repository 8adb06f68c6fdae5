package dev.wheelhouse.apiserver.patch;

import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.patch.Patches.PatchException;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PatchesTest {
    private static final TypeSchema POD = Objects.requireNonNull(Schemas.ofKind("v1", "Pod"));
    private static final TypeSchema DEPLOYMENT = Objects.requireNonNull(Schemas.ofKind("apps/v1", "Deployment"));
    private static final TypeSchema NODE = Objects.requireNonNull(Schemas.ofKind("v1", "Node"));

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'a': [1, 2]} | [{'op': 'add', 'path': '/a/-', 'value': 3}] | {'a': [1, 2, 3]}
            {'a': [1, 2]} | [{'op': 'add', 'path': '/a/0', 'value': 0}] | {'a': [0, 1, 2]}
            {'a': [1, 2]} | [{'op': 'remove', 'path': '/a/-1'}] | {'a': [1]}
            {'a': [1, 2]} | [{'op': 'replace', 'path': '/a/1', 'value': 9}] | {'a': [1, 9]}
            {'a': {}} | [{'op': 'replace', 'path': '/a/b', 'value': 9}] | {'a': {'b': 9}}
            {'a/b': 1, 'm~n': 2} \
                | [{'op': 'move', 'from': '/a~1b', 'path': '/x'}, {'op': 'copy', 'from': '/m~0n', 'path': '/y'}] \
                | {'m~n': 2, 'x': 1, 'y': 2}
            {'a': 1} | [{'op': 'test', 'path': '/a', 'value': 1}, {'op': 'test', 'path': '/none', 'value': null}] \
                | {'a': 1}
            {'a': 1} | [{'op': 'replace', 'path': '', 'value': {'b': 2}}] | {'b': 2}
            {'a': 1} | [] | {'a': 1}
            """)
    void appliesAJsonPatch(String object, String patch, String expected) {
        assertThat(Patches.json(object(object), json(patch))).isEqualTo(json(expected));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            [{'op': 'test', 'path': '/a/0', 'value': 2}] | testing value /a/0 failed: test failed
            [{'op': 'test', 'path': '/a/0', 'value': 1.0}] | testing value /a/0 failed: test failed
            [{'op': 'test', 'path': '/a', 'value': [1.0]}] | testing value /a failed: test failed
            [{'op': 'remove', 'path': '/x'}] \
                | error in remove for path: '/x': Unable to remove nonexistent key: x: missing value
            [{'op': 'add', 'path': '/a/5', 'value': 1}] \
                | error in add for path: '/a/5': Unable to access invalid index: 5: invalid index referenced
            [{'op': 'add', 'path': '/x/y', 'value': 1}] \
                | add operation does not apply: doc is missing path: "/x/y": missing value
            [{'op': 'add', 'path': 'x', 'value': 1}] \
                | add operation does not apply: doc is missing path: "x": missing value
            [{'op': 'add', 'path': '/x', 'value': 1}, {'path': '/x'}] | Unexpected kind: unknown
            [{'op': 'remove'}] | remove operation failed to decode path: missing value
            [{'op': 'replace', 'path': '/a/1', 'value': 1}] \
                | replace operation does not apply: doc is missing key: /a/1: missing value
            [{'op': 'replace', 'path': '', 'value': []}] | the patch replaces the whole object by array
            """)
    void refusesAJsonPatchThatCannotBeAppliedAndSaysWhy(String patch, String detail) {
        assertThatThrownBy(() -> Patches.json(object("{'a': [1]}"), json(patch)))
                .isInstanceOfSatisfying(PatchException.class, e -> {
                    assertThat(e.code()).isEqualTo(422);
                    assertThat(e.detail()).isEqualTo(detail);
                });
    }

    @Test
    void mergesByRfc7386() {
        ObjectNode merged = Patches.merge(object("{'a': {'b': 1, 'c': 2}, 'l': [1], 's': 's'}"),
                json("{'a': {'b': null, 'n': {'x': null, 'y': 1}}, 'l': [null, 2], 's': {'t': null}}"));

        assertThat(merged).isEqualTo(json("{'a': {'c': 2, 'n': {'y': 1}}, 'l': [null, 2], 's': {}}"));
    }

    @Test
    void aPatchMustBeAnObject() {
        assertThatThrownBy(() -> Patches.merge(object("{}"), json("[]")))
                .isInstanceOfSatisfying(PatchException.class, e -> assertThat(e.code()).isEqualTo(400));
        assertThatThrownBy(() -> Patches.strategicMerge(object("{}"), json("1"), POD))
                .isInstanceOfSatisfying(PatchException.class, e -> assertThat(e.code()).isEqualTo(400));
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/tables/strategic-patches.txt", delimiter = '|', quoteCharacter = '`')
    void mergesStrategically(String rule, String before, String patch, String after) {
        ObjectNode pod = object("{'spec': " + before + "}");

        assertThat(Patches.strategicMerge(pod, json("{'spec': " + patch + "}"), POD)).as(rule)
                .isEqualTo(json("{'spec': " + after + "}"));
    }

    @Test
    void mergesPrimitiveListsAsSets() {
        ObjectNode pod = object("{'metadata': {'finalizers': ['a', 'b', 'c']}}");

        assertThat(Patches.strategicMerge(pod, json("{'metadata': {'finalizers': ['d', 'b']}}"), POD))
                .isEqualTo(json("{'metadata': {'finalizers': ['d', 'a', 'b', 'c']}}"));
        assertThat(Patches.strategicMerge(pod, json("""
                {'metadata': {'$deleteFromPrimitiveList/finalizers': ['b', 'x'],
                 '$setElementOrder/finalizers': ['c', 'a', 'n'], 'finalizers': ['n']}}"""), POD))
                .isEqualTo(json("{'metadata': {'finalizers': ['c', 'a', 'n']}}"));
    }

    @Test
    void mergesANodesConditionsAsControllersPatchThem() {
        ObjectNode node = object("""
                {'status': {'conditions': [{'type': 'Ready', 'status': 'True'}, {'type': 'Disk', 'status': 'False'}],
                 'addresses': [{'type': 'InternalIP', 'address': '1'}]}}""");

        assertThat(Patches.strategicMerge(node, json("""
                {'status': {'$setElementOrder/conditions': [{'type': 'Ready'}, {'type': 'Disk'}],
                 'conditions': [{'type': 'Disk', 'status': 'True'}]}}"""), NODE)).isEqualTo(json("""
                {'status': {'conditions': [{'type': 'Ready', 'status': 'True'}, {'type': 'Disk', 'status': 'True'}],
                 'addresses': [{'type': 'InternalIP', 'address': '1'}]}}"""));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            500 | map: map[image:x] does not contain declared merge key: name | {'containers': [{'image': 'x'}]}
            500 | unknown patch type: bogus in map: map[$patch:bogus name:a] \
                | {'containers': [{'name': 'a', '$patch': 'bogus'}]}
            500 | unknown patch type: bogus in map: map[$patch:bogus] | {'securityContext': {'$patch': 'bogus'}}
            500 | merging lists cannot yet be specified in the patch \
                | {'containers': [{'name': 'a', '$patch': 'merge'}]}
            400 | invalid patch format of retainKeys | {'securityContext': {'$retainKeys': ['fsGroup'], 'runAsUser': 1}}
            500 | unknown patch type: %!s(int64=1) in map: map[$patch:1] | {'securityContext': {'$patch': 1}}
            500 | expected a []interface {}, but received a string | {'$setElementOrder/containers': 'x'}
            500 | value for key 0 is not a map | {'$setElementOrder/containers': ['a']}
            500 | map: map[x:a] does not contain declared merge key: name \
                | {'$setElementOrder/containers': [{'x': 'a'}]}
            500 | unable to find api field in struct PodSpec for the json field "nope" | {'$setElementOrder/nope': []}
            500 | merging an object in json but data type is not struct, instead is: map \
                | {'nodeSelector': {'$setElementOrder/x': ['a']}}
            500 | expected slice or array type, but got: struct | {'$setElementOrder/dnsConfig': []}
            500 | list element types are not identical: [[map[name:a]] [x]] | {'containers': ['x']}
            """)
    void refusesAStrategicMergeInUpstreamsWords(int code, String message, String patch) {
        ObjectNode pod = object("{'spec': {'containers': [{'name': 'a'}], 'nodeSelector': {'a': 'b'}, "
                + "'securityContext': {'fsGroup': 1}}}");

        assertThatThrownBy(() -> Patches.strategicMerge(pod, json("{'spec': " + patch + "}"), POD))
                .isInstanceOfSatisfying(PatchException.class, e -> {
                    assertThat(e).hasMessage(message);
                    assertThat(e.code()).isEqualTo(code);
                });
    }

    @Test
    void refusesAnOrderThatThePatchContradicts() {
        ObjectNode pod = object("{'spec': {'containers': [{'name': 'a'}, {'name': 'b'}]}}");

        assertThatThrownBy(() -> Patches.strategicMerge(pod, json("""
                {'spec': {'$setElementOrder/containers': [{'name': 'a'}, {'name': 'b'}],
                 'containers': [{'name': 'b', 'image': 'x'}, {'name': 'a', 'image': 'x'}]}}"""), POD))
                .isInstanceOf(PatchException.class).hasMessageContaining("doesn't match $setElementOrder list");
    }

    @Test
    void changesNoneOfItsArguments() {
        ObjectNode object = object(
                "{'spec': {'template': {'spec': {'containers': [{'name': 'a', 'env': [{'name': 'x'}]}]}}}}");
        JsonNode patch = json(
                "{'spec': {'template': {'spec': {'containers': [{'name': 'a', 'env': [{'name': 'y'}]}]}}}}");
        ObjectNode objectBefore = object.deepCopy();
        JsonNode patchBefore = patch.deepCopy();

        ObjectNode result = Patches.strategicMerge(object, patch, DEPLOYMENT);
        ((ObjectNode) result.at("/spec/template/spec/containers/0/env/0")).put("value", "changed");

        assertThat(object).isEqualTo(objectBefore);
        assertThat(patch).isEqualTo(patchBefore);
    }

    private static ObjectNode object(String text) {
        return (ObjectNode) json(text);
    }

    private static JsonNode json(String text) {
        return Json.read(text.replace('\'', '"'));
    }
}
