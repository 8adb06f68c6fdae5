package dev.wheelhouse.apiserver.table;

import java.util.Arrays;

/** Columns that show the containers of a pod template. */
public final class Containers {
    private Containers() {}

    /** The names of the containers in the pod template at a path. */
    public static TableColumn names(String... template) {
        return column("Containers", "Names of the template's containers.", "name", template);
    }

    /** The images of the containers in the pod template at a path. */
    public static TableColumn images(String... template) {
        return column("Images", "Images of the template's containers.", "image", template);
    }

    private static TableColumn column(String name, String description, String field, String... template) {
        String[] path = Arrays.copyOf(template, template.length + 2);
        path[template.length] = "spec";
        path[template.length + 1] = "containers";
        return TableColumn.of(name, description, o -> o.join(container -> container.text(field), path));
    }
}
