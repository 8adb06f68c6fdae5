package dev.wheelhouse.console;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;

/** A viewer with all rights, except those to one type. */
record TestViewer(@Nullable ResourceType denied) implements Viewer {
    static final TestViewer MAY_ALL = new TestViewer(null);

    static TestViewer mayNot(ResourceType type) {
        return new TestViewer(type);
    }

    @Override
    public boolean may(String verb, ResourceType type, String subresource, String namespace) {
        return !type.equals(denied);
    }

    @Override
    public String getName() {
        return "somebody";
    }
}
