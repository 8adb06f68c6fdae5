package dev.wheelhouse.apiserver.admission;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.admission.BoundPolicies.Invocation;
import dev.wheelhouse.apiserver.admission.BoundPolicies.Problem;
import dev.wheelhouse.apiserver.admission.CompiledPolicy.Mutation;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonSize;
import dev.wheelhouse.apiserver.json.JsonValues;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.json.TooLargeException;
import dev.wheelhouse.apiserver.patch.Patches;
import dev.wheelhouse.apiserver.patch.Patches.PatchException;
import dev.wheelhouse.apiserver.protocol.Bodies;
import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.cel.CelBudget;
import dev.wheelhouse.cel.CelExpression;
import dev.wheelhouse.cel.CelExpression.EvaluationException;
import dev.wheelhouse.cel.PatchValues;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.facts.Schemas;

/**
 * Changes written objects by the bound MutatingAdmissionPolicies (upstream:
 * {@code apiserver/pkg/admission/plugin/policy/mutating}). Policies are applied one after the other, to the same writes
 * as {@link ValidatingPolicies} except deletions. Thread safe.
 */
record MutatingPolicies(BoundPolicies policies) {
    /**
     * Applies the policies.
     *
     * @param round says which policies are applied
     * @return the write with the object that the policies want; the same one if they change nothing
     * @throws StatusException if a policy fails and its failure policy is Fail, or a patch makes an invalid object
     */
    Attributes mutate(Attributes attributes, Reinvocation round) {
        if (attributes.object() == null) {
            return attributes;
        }
        List<Problem> problems = new ArrayList<>();
        List<Invocation> invocations = policies.invocations(attributes, problems::add);
        Attributes changed = attributes;
        if (!invocations.isEmpty()) {
            round.begin(attributes.object());
            changed = new Run(attributes, round, problems).all(invocations);
            round.end(changed.object());
        }
        problems.removeIf(problem -> !problem.refuses());
        if (!problems.isEmpty()) {
            throw Errors.deniedByPolicies(attributes.type(), attributes.name(), problems.getFirst().reason(),
                    problems.stream().map(MutatingPolicies::text).toList());
        }
        return changed;
    }

    private static String text(Problem problem) {
        String policy = Meta.name(problem.policy());
        return (problem.binding() == null
                ? "policy \"" + policy + "\""
                : "policy '" + policy + "' with binding '" + Meta.name(problem.binding()) + "'")
                + " denied request: " + problem.why();
    }

    /** One round of all policies about one write. */
    private final class Run {
        private final Attributes asked;
        private final Reinvocation round;
        private final List<Problem> problems;
        /**
         * The write in the versions that policies ask for. As with upstream, a change in one version is not seen in
         * another, and the version that was changed last is the result.
         */
        private final Map<ResourceType, Attributes> versions = new HashMap<>();
        private final Set<ResourceType> patched = new HashSet<>();

        Run(Attributes asked, Reinvocation round, List<Problem> problems) {
            this.asked = asked;
            this.round = round;
            this.problems = problems;
        }

        Attributes all(List<Invocation> invocations) {
            ResourceInfo last = null;
            for (Invocation invocation : invocations) {
                if (invoke(invocation)) {
                    last = invocation.as();
                }
            }
            if (last == null || !patched.contains(last.type())) {
                return asked;
            }
            round.changed();
            return asked.withObject(Versions.converted(asked.body(last), asked.body(asked.target().info()),
                    seen(last).subject()), asked.old());
        }

        /** The write in the version of a policy, with the changes of the policies before. */
        private Attributes seen(ResourceInfo as) {
            return versions.computeIfAbsent(as.type(), type -> Versions.of(asked, as));
        }

        /** @return whether the policy was applied */
        private boolean invoke(Invocation invocation) {
            ResourceType type = invocation.as().type();
            Attributes before = seen(invocation.as());
            Object param = CelExpression.value(param(invocation.param()));
            CompiledExpression.Match match = invocation.compiled()
                    .match(policies.variables(before, invocation.as()), param);
            if (!match.problem().isEmpty()) {
                problems.add(invocation.problem(match.problem()));
            }
            if (!match.holds() || round.skips(invocation.key())) {
                return false;
            }
            Attributes current = before;
            for (Mutation mutation : invocation.compiled().mutations()) {
                Deadline.checkNow();
                try {
                    current = current.withObject(patched(mutation, invocation, current, param), current.old());
                    patched.add(type);
                } catch (EvaluationException e) {
                    problems.add(invocation.problem(String.valueOf(e.getMessage())));
                }
            }
            versions.put(type, current);
            if (!JsonValues.same(before.object(), current.object())) {
                round.changed();
            }
            if (Json.text(invocation.policy(), "spec", "reinvocationPolicy").equals("IfNeeded")) {
                round.called(invocation.key());
            }
            return true;
        }

        private ObjectNode patched(Mutation mutation, Invocation invocation, Attributes seen, Object param)
                throws EvaluationException {
            CompiledExpression expression = mutation.expression();
            if (expression.expression() == null) {
                throw new EvaluationException(expression.problem());
            }
            CelBudget budget = CelBudget.ofValidations();
            Object value = expression.evaluate(
                    invocation.compiled().values(policies.variables(seen, invocation.as()), param, budget), budget);
            ObjectNode object = seen.subject();
            ResourceInfo body = asked.body(invocation.as());
            ObjectNode next;
            try {
                next = mutation.isJsonPatch()
                        ? Patches.json(object, PatchValues.operations(value))
                        : configured(object, PatchValues.configuration(value), body);
            } catch (PatchException e) {
                if (e.isFailedTest()) {
                    return object;
                }
                throw new EvaluationException((mutation.isJsonPatch() ? "JSON Patch: " : "") + e.detail());
            }
            next = decoded(next, object, body);
            ResourceType type = invocation.as().type();
            if (!type.equals(asked.type()) && Schemas.isBuiltIn(asked.type())) {
                // Upstream 1.36 converts to the version of the request too early.
                throw new EvaluationException("converting (" + goType(type) + ") to ("
                        + goType(asked.type()) + "): unknown conversion");
            }
            return next;
        }
    }

    private static String goType(ResourceType type) {
        return type.version() + "." + type.kind();
    }

    /** A parameter as upstream sees it: objects of built-in types have no kind and apiVersion. */
    private static JsonNode param(JsonNode param) {
        if (!(param instanceof ObjectNode object)
                || Schemas.ofKind(Json.text(param, "apiVersion"), Json.text(param, "kind")) == null) {
            return param;
        }
        return Meta.shallowCopy(object).without(List.of("apiVersion", "kind"));
    }

    private static ObjectNode configured(ObjectNode object, ObjectNode config, ResourceInfo info) {
        config.put("apiVersion", info.type().apiVersion()).put("kind", info.type().kind());
        return Patches.configuration(object, config, CustomResourceInfo.typeOf(info));
    }

    /** A patched object as upstream decodes it. The owners of fields stay, because policies own nothing. */
    private static ObjectNode decoded(ObjectNode next, ObjectNode before, ResourceInfo info) {
        JsonSize size = new JsonSize(TooLargeException.MOST_BYTES);
        if (!size.add(next)) {
            throw new TooLargeException("a policy makes an object of at least " + size.bytes() + " bytes");
        }
        Bodies.checkDepth(next);
        ResourceType type = info.type();
        if (!Json.text(next, "kind").equals(type.kind()) || !Json.text(next, "apiVersion").equals(type.apiVersion())) {
            String group = type.group().isEmpty() ? "core" : type.group().replaceFirst("\\..*", "");
            String version = Json.text(next, "apiVersion");
            throw Errors.internalError("failed to convert object: converting ("
                    + version.substring(version.indexOf('/') + 1) + "." + Json.text(next, "kind") + ") to (" + group
                    + "." + type.kind() + "): unknown conversion");
        }
        try {
            List<String> unknown = Versions.decode(info, next);
            if (!unknown.isEmpty()) {
                throw Errors.internalError("strict decoding error: "
                        + unknown.stream().sorted().collect(Collectors.joining(", ")));
            }
            Meta.set(Meta.of(next), "managedFields", Meta.of(before).get("managedFields"));
            return next;
        } catch (FieldValidation.WrongTypeException e) {
            throw Errors.internalError(String.valueOf(e.getMessage()));
        }
    }
}
