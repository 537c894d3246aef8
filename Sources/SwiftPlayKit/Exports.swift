// Re-export the module SwiftPlay, so that `import SwiftPlayKit` suffices.
@_exported import SwiftPlay
