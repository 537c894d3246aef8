// `import SwiftPlayKit` brings the player with it.
@_exported import SwiftPlay
