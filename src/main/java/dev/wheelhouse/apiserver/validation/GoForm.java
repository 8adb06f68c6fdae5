package dev.wheelhouse.apiserver.validation;

import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * Values in the form in which upstream's messages show them: as its internal types, which have all of their fields,
 * with the names that these have in Go.
 */
public final class GoForm {
    private GoForm() {}

    /**
     * The value in a form.
     *
     * @param form an object with the names of all fields and their zero values, or a list of such an object; objects
     *     within it are pointers, which are null without a value
     */
    public static JsonNode of(JsonNode form, JsonNode value) {
        if (value.isMissingNode() || value.isNull()) {
            return form.isContainer() ? NullNode.getInstance() : form;
        }
        if (form instanceof ArrayNode forms) {
            ArrayNode list = Json.object().arrayNode();
            value.forEach(element -> list.add(of(forms.path(0), element)));
            return list;
        }
        if (!(form instanceof ObjectNode fields)) {
            return value;
        }
        ObjectNode shown = Json.object();
        for (Map.Entry<String, JsonNode> field : fields.properties()) {
            JsonNode given = value.properties().stream().filter(f -> f.getKey().equalsIgnoreCase(field.getKey()))
                    .map(Map.Entry::getValue).findFirst().orElse(NullNode.getInstance());
            shown.set(field.getKey(), of(field.getValue(), given));
        }
        return shown;
    }
}
