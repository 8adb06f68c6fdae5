package dev.wheelhouse.apiserver.admission;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.admission.WebhookCall.Verdict;
import dev.wheelhouse.apiserver.audit.AuditEvent;
import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonValues;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.patch.Patches;
import dev.wheelhouse.apiserver.protocol.Bodies;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.schema.FieldValidation;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoreView;
import dev.wheelhouse.apiserver.webhook.WebhookClient;
import dev.wheelhouse.apiserver.webhook.WebhookException;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.cel.CelBudget;
import dev.wheelhouse.cel.CelExpression.ResultType;
import dev.wheelhouse.cel.PolicyTypes;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;

/**
 * Asks the admission webhooks about writes and connections (upstream: {@code apiserver/pkg/admission/plugin/webhook}).
 * Webhooks are asked about the same ones as {@link ValidatingPolicies}. Mutating webhooks are called one after the
 * other, validating ones at the same time. Thread safe; a
 * call blocks its request and no other.
 */
final class AdmissionWebhooks {
    private static final Logger log = LoggerFactory.getLogger(AdmissionWebhooks.class);
    private static final String GROUP = "admissionregistration.k8s.io";
    private static final Set<String> EXEMPT = Set.of("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding");

    private final StoreView<List<Webhook>> mutating;
    private final StoreView<List<Webhook>> validating;
    private final Authorizer authorizer;
    private final PolicyMatch match;
    private final WebhookClient client;
    private final LogBudget ignored;

    AdmissionWebhooks(ObjectStore store, ResourceRegistry registry, Authorizer authorizer, WebhookClient client,
            Clock clock) {
        this.authorizer = authorizer;
        this.mutating = hooks(store, "mutatingwebhookconfigurations");
        this.validating = hooks(store, "validatingwebhookconfigurations");
        this.match = new PolicyMatch(store, registry);
        this.client = client;
        this.ignored = new LogBudget(clock);
    }

    /** The webhooks of all configurations of one kind, sorted by the names of the configurations. */
    private static StoreView<List<Webhook>> hooks(ObjectStore store, String kind) {
        return StoreView.of(store, kind + "." + GROUP,
                configuration -> configuration.tree().path("webhooks").valueStream().map(Webhook::new).toList(),
                all -> all.stream().flatMap(List::stream).toList());
    }

    /** A webhook of one version of its configuration. Two webhooks with the same fields differ. */
    private static final class Webhook {
        private final JsonNode fields;
        /** Null until a write is the first to need them. */
        private volatile @Nullable List<CompiledExpression> conditions;

        Webhook(JsonNode fields) {
            this.fields = fields;
        }

        /** The compiled match conditions. */
        List<CompiledExpression> conditions() {
            List<CompiledExpression> known = conditions;
            if (known == null) {
                PolicyTypes types = PolicyTypes.ofConditions(false);
                known = fields.path("matchConditions").valueStream().map(condition -> CompiledExpression
                        .of(Json.text(condition, "expression"), ResultType.BOOL, types)).toList();
                conditions = known;
            }
            return known;
        }
    }

    /** Whether there are webhooks that may be asked about deletions. */
    boolean any() {
        return !mutating.get().isEmpty() || !validating.get().isEmpty();
    }

    /**
     * Asks the mutating webhooks.
     *
     * @param round says which webhooks are asked
     * @return the write with the object that the webhooks want; the same one if they change nothing
     * @throws StatusException if a webhook refuses the write, or cannot be called and its failure policy is Fail
     */
    Attributes mutate(Attributes attributes, Reinvocation round) {
        List<Webhook> hooks = mutating.get();
        if (hooks.isEmpty() || isExempt(attributes)) {
            return attributes;
        }
        round.begin(attributes.object());
        Attributes current = attributes;
        for (Webhook hook : hooks) {
            WebhookCall call = round.skips(hook) ? null : call(hook, current);
            if (call == null) {
                continue;
            }
            ObjectNode before = current.object();
            try {
                Verdict verdict = call.make(client, true);
                tell(hook.fields, verdict, attributes);
                if (verdict.refusal() != null) {
                    throw verdict.refusal();
                }
                current = current.withObject(patched(call, verdict.patch(), current), current.old());
            } catch (WebhookException e) {
                failed(hook.fields, e.getMessage());
            }
            if (before != current.object()) {
                round.changed();
            }
            if (Json.text(hook.fields, "reinvocationPolicy").equals("IfNeeded")) {
                round.called(hook);
            }
        }
        round.end(current.object());
        return current;
    }

    /**
     * Asks the validating webhooks.
     *
     * @throws StatusException if a webhook refuses the write, or cannot be called and its failure policy is Fail
     */
    void validate(Attributes attributes) {
        List<Webhook> hooks = validating.get();
        if (hooks.isEmpty() || isExempt(attributes)) {
            return;
        }
        List<WebhookCall> calls = hooks.stream().map(hook -> call(hook, attributes)).filter(Objects::nonNull).toList();
        List<CompletableFuture<Verdict>> others = new ArrayList<>();
        calls.stream().skip(1).forEach(call -> others.add(CompletableFuture.supplyAsync(() -> outcome(call),
                work -> Thread.ofVirtual().name("webhook " + call.name()).start(work))));
        List<Verdict> verdicts = new ArrayList<>();
        if (!calls.isEmpty()) {
            verdicts.add(outcome(calls.getFirst()));
        }
        others.forEach(verdict -> verdicts.add(verdict.join()));
        for (int i = 0; i < calls.size(); i++) {
            tell(calls.get(i).hook(), verdicts.get(i), attributes);
        }
        for (Verdict verdict : verdicts) {
            if (verdict.refusal() != null) {
                throw verdict.refusal();
            }
        }
    }

    private static void tell(JsonNode hook, Verdict verdict, Attributes attributes) {
        attributes.warnings().addAll(verdict.warnings());
        verdict.audited().forEachEntry(
                (key, value) -> AuditEvent.annotate(Json.text(hook, "name") + "/" + key, value.asString("")));
    }

    /** A webhook cannot ask about the objects that configure webhooks and policies, so that they can be mended. */
    private static boolean isExempt(Attributes attributes) {
        return attributes.type().group().equals(GROUP) && EXEMPT.contains(attributes.type().kind());
    }

    /** The call of a webhook about a write; null if it is not to be called. */
    private @Nullable WebhookCall call(Webhook webhook, Attributes attributes) {
        JsonNode hook = webhook.fields;
        ResourceInfo as = match.selects(hook, attributes)
                ? match.covered(hook.path("rules"), Json.text(hook, "matchPolicy").equals("Exact"), attributes)
                : null;
        if (as == null) {
            return null;
        }
        Attributes seen = Versions.of(attributes, as);
        if (!hook.path("matchConditions").isEmpty()) {
            CompiledExpression.Match conditions = CompiledExpression.match(webhook.conditions(),
                    seen.variables(as, null, authorizer), CelBudget.ofConditions());
            if (!conditions.problem().isEmpty() && fails(hook)) {
                throw Errors.forbidden(attributes.type(), Meta.name(attributes.subject()), conditions.problem());
            }
            if (!conditions.holds()) {
                return null;
            }
        }
        Deadline.checkNow();
        return new WebhookCall(hook, as, seen, WebhookClient.within(Duration.ofSeconds(Json.number(hook, 10,
                "timeoutSeconds"))));
    }

    private static boolean fails(JsonNode hook) {
        return !Json.text(hook, "failurePolicy").equals("Ignore");
    }

    /** @return the object that the patch makes, in the version of the request; the same one if it changes nothing */
    private @Nullable ObjectNode patched(WebhookCall call, JsonNode patch, Attributes attributes) {
        ObjectNode object = call.seen().object();
        if (patch.isEmpty()) {
            return attributes.object();
        }
        if (object == null) {
            throw Errors.internalError("admission webhook \"" + call.name()
                    + "\" attempted to modify the object, which is not supported for this operation");
        }
        ResourceInfo body = attributes.body(call.as());
        ObjectNode next;
        try {
            next = Patches.json(object, patch);
            Bodies.checkDepth(next);
            Meta.set(Meta.of(next), "managedFields", Meta.of(object).get("managedFields"));
            Versions.decode(body, next);
        } catch (Patches.PatchException e) {
            throw Errors.internalError(e.detail());
        } catch (FieldValidation.WrongTypeException e) {
            throw Errors.internalError(String.valueOf(e.getMessage()));
        }
        if (JsonValues.same(next, object)) {
            return attributes.object();
        }
        return Versions.converted(body, attributes.body(attributes.target().info()), next);
    }

    /** Calls a validating webhook. A failure is a refusal or nothing, as the failure policy says. */
    private Verdict outcome(WebhookCall call) {
        try {
            return call.make(client, false);
        } catch (WebhookException e) {
            try {
                failed(call.hook(), e.getMessage());
                return Verdict.NONE;
            } catch (StatusException refusal) {
                return new Verdict(Json.array(), List.of(), Json.object(), refusal);
            }
        }
    }

    /** @throws StatusException unless the failure policy is Ignore */
    private void failed(JsonNode hook, @Nullable String why) {
        String problem = "failed calling webhook \"" + Json.text(hook, "name") + "\": " + why;
        if (fails(hook)) {
            throw Errors.internalError(problem);
        }
        ignored.warn(log, problem + "; the request goes on, because failurePolicy is Ignore");
        Deadline.checkNow();
    }
}
