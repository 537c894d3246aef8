/// A page of text over the picture.
enum TextPage { case statistics, keys }
