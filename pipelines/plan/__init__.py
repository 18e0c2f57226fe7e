"""What has changed, and which published days follow from it: `windrow plan`. Nothing here makes a row."""
