package dev.wheelhouse.apiserver.access;

import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.ConfigFile;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.cel.CelBudget;
import dev.wheelhouse.cel.CelExpression;
import dev.wheelhouse.cel.CelExpression.EvaluationException;
import dev.wheelhouse.cel.CelExpression.ResultType;
import dev.wheelhouse.cel.PolicyTypes;
import dev.wheelhouse.cel.RuleException;

/**
 * A compiled expression about one value.
 *
 * @param variable the name of the value: {@code claims}, {@code user} or {@code request}
 */
record Expression(String variable, CelExpression compiled) {
    /** @throws dev.wheelhouse.apiserver.auth.AuthConfigException if the text does not compile, or has another type */
    static Expression of(ConfigFile file, String field, String variable, ResultType wanted, String text) {
        try {
            return new Expression(variable, PolicyTypes.ofValue(variable).compile(text, wanted));
        } catch (RuleException e) {
            throw file.wrong(field + " is no expression about " + variable + ": " + e.getMessage());
        }
    }

    /** A user with all fields, also those without a value. */
    static ObjectNode value(User user) {
        ObjectNode value = Json.object().put("username", user.name()).put("uid", user.uid());
        value.set("groups", Json.list(user.groups().toArray(String[]::new)));
        value.set("extra", user.extraToJson());
        return value;
    }

    Object of(JsonNode value) throws EvaluationException {
        return compiled.evaluate(Map.of(variable, CelExpression.value(value)), CelBudget.ofConditions());
    }
}
